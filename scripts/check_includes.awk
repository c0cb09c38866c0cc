# The work of scripts/check_includes: reads C files, prints each line that breaks a rule, exits 1 when there was one.
BEGIN {
    count = split(rules, line, "\n")
    for (i = 1; i <= count; i++) {
        words = split(line[i], word, " ")
        if (words == 0) continue
        for (j = 2; j <= words; j++) allowed[word[1], word[j]] = 1
        known[word[1]] = 1
    }
    heap = "malloc|calloc|realloc|reallocarray|aligned_alloc|posix_memalign|alloca|strdup|strndup"
    files = "fopen|fopen64|fdopen|freopen|open|openat|openat2|creat|rename|renameat|remove|link|unlink|unlinkat|" \
            "mkdir|opendir|mkstemp|tmpfile|mmap"
}

function complain(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad = 1 }

# src/format/mdx/mdx.c: "src/format"; cli/info.c: "cli".
function folder_of(path,    part)
{
    split(path, part, "/")
    return part[1] == "src" ? part[1] "/" part[2] : part[1]
}

function directory(path) { sub(/\/[^\/]*$/, "", path); return path }

function exists(path,    text, found) { found = (getline text < path) >= 0; close(path); return found }

# May `folder` include `name`? Each leading part of the name with its slash is looked up, then the whole name.
function may_include(folder, name,    part, count, prefix, i)
{
    count = split(name, part, "/")
    for (i = 1; i < count; i++) {
        prefix = prefix part[i] "/"
        if ((folder, prefix) in allowed) return 1
    }
    return (folder, name) in allowed
}

function check_include(name, is_quoted,    folder, own)
{
    folder = folder_of(FILENAME)
    if (name ~ /(^|\/)\.\.?\//) complain("\"" name "\" walks through the tree; include from src/")
    own = directory(FILENAME) "/" name
    if (is_quoted && name !~ /\// && exists(own)) return                     # a neighbour
    if (!is_quoted && name !~ /^sinew\//) {
        if (name ~ /(mmintrin|immintrin|x86intrin|intrin|arm_neon|arm_sve|wasm_simd128)\.h$/ && FILENAME !~ /_(sse2|avx2|neon|wasm)\.[ch]$/)
            complain("<" name ">: intrinsics live in files named _sse2, _avx2, _neon or _wasm")
        return
    }
    if (!(folder in known)) complain(folder " has no rule in scripts/check_includes")
    else if (folder == "src/format" && index("src/" name, directory(FILENAME) "/") == 1) return   # a format's own files
    else if (!may_include(folder, name)) complain(folder " may not include \"" name "\"")
}

# Without comments, strings and characters.
function code_of(text,    out, at)
{
    out = ""
    while (text != "") {
        if (in_comment) {
            at = index(text, "*/")
            if (!at) return out
            in_comment = 0
            text = substr(text, at + 2)
        } else if (match(text, /\/\/|\/\*|"([^"\\]|\\.)*"|'([^'\\]|\\.)*'/)) {
            out = out substr(text, 1, RSTART - 1) " "
            at = substr(text, RSTART, 2)
            if (at == "//") return out
            if (at == "/*") in_comment = 1
            text = substr(text, RSTART + (at == "/*" ? 2 : RLENGTH))
        } else {
            return out text
        }
    }
    return out
}

function calls(names) { return code ~ ("(^|[^A-Za-z0-9_.>])(" names ")[ \t]*\\(") }

FNR == 1 { in_comment = 0 }
{ was_comment = in_comment; code = code_of($0) }
!was_comment && /^[ \t]*#[ \t]*include[ \t]*["<]/ {
    name = $0
    sub(/^[^"<]*["<]/, "", name)
    sub(/[">].*/, "", name)
    check_include(name, $0 ~ /^[^<]*"/)
    next
}
FILENAME ~ /^examples\// { next }
calls(heap) && FILENAME != "src/base/arena.c" { complain("memory is asked for in src/base/arena.c only") }
# The driver's threads are found in /proc/self/task, which is no file of a user.
FILENAME == "cli/render/driver_threads.c" { sub(/opendir/, "", code) }
calls(files) && FILENAME !~ /^src\/io\/(file|root)\.c$/ { complain("files are opened and renamed in src/io/file.c and root.c only") }
calls("memcpy|memmove") && FILENAME ~ /_parse[a-z0-9_]*\.c$/ { complain("input bytes are copied out in src/base/reader.c only") }
END { exit bad }
