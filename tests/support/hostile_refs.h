// References that must never be followed.
#ifndef TEST_HOSTILE_REFS_H
#define TEST_HOSTILE_REFS_H

#include <stddef.h>

// clang-format off
static const struct { const char *ref; size_t size; } hostile[] = {
#define REF(text) { text, sizeof text - 1 }
    REF(""), REF("."), REF("./"), REF("./."), REF("/"), REF("//"), REF("\\"), REF("..") , REF("../"), REF("../x"),
    REF("..\\x"), REF("../../x"),
    REF("a/.."), REF("a/../b"), REF("a/../../b"), REF("a\\..\\..\\b"), REF("a/..\\b"), REF("a\\../b"), REF("./../x"),
    REF(".//../x"),
    REF("a//..//..//b"), REF("a/./../../b"), REF("a/b/../../../c"), REF("..//x"), REF("x/..\\"), REF("/etc/passwd"),
    REF("//etc/passwd"),
    REF("///etc/passwd"), REF("/dev/zero"), REF("/proc/self/environ"), REF("\\etc\\passwd"),
    REF("\\\\server\\share\\x"), REF("//server/share/x"),
    REF("\\/server/x"), REF("/\\server/x"), REF("\\\\?\\C:\\x"), REF("\\\\.\\PhysicalDrive0"), REF("\\??\\C:\\x"),
    REF("C:\\x"), REF("c:/x"), REF("c:x"),
    REF("C:"), REF("z:\\..\\x"), REF("file:///etc/passwd"), REF("file:/etc/passwd"), REF("file:x"), REF("FILE:x"),
    REF("http://h/x"), REF("HTTPS://h/x"),
    REF("ftp://h/x"), REF("data:,x"), REF("DATA:application/octet-stream;base64,AAAA"), REF("javascript:x"),
    REF("urn:x"), REF("blob:x"), REF("jar:file:x"),
    REF("smb://h/x"), REF("x-y+z.1:q"), REF("about:blank"), REF("~"), REF("~/x"), REF("~root/x"), REF("~\\x"),
    REF("a\0b"), REF("\0"), REF("a.bin\0"),
    REF("a\0/../b"), REF("..\0"), REF("a\nb"), REF("a\rb"), REF("\x1b[2Jx"), REF("a\tb"), REF("a\x7f"), REF("\x01"),
    REF("a/\x1f/b"), REF("./C:/x"), REF("a/C:/x"),
#undef REF
};
// clang-format on

#endif
