# Reads ctest's JUnit file. Prints "passed failed skipped", or with -v list=1 the names of what was skipped.
# A program that says how many tests it ran (cmocka's summary, or a line "N passed, N failed") counts
# as that many, any other as one. One that ran no test at all, or could not be started, has failed.
function number(text) { sub(/^[^0-9]*/, "", text); return text + 0 }
function attribute(name,    text)
{
    if (!match($0, name "=\"[^\"]*\"")) return ""
    text = substr($0, RSTART, RLENGTH)
    sub(/^[a-z]*="/, "", text)
    sub(/"$/, "", text)
    return text
}
{ sub(/^[ \t]*<system-out>/, "") }
/<testcase / { name = attribute("name"); status = attribute("status"); last = ""; p = f = s = says = in_list = 0; names = "" }
/<skipped message="Unable to find executable/ { status = "fail" }
/^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ { p += $1; f += $3; s += $5; says = 1 }
/\[  PASSED  \] [0-9]+ test\(s\)/ { p += number(substr($0, index($0, "]"))) }
/\[  FAILED  \] ([^ ]*: )?[0-9]+ test\(s\)/ { f += number(substr($0, index($0, "]"))); in_list = 0 }
/\[  SKIPPED \] ([^ ]*: )?[0-9]+ test\(s\), listed below/ { s += number(substr($0, index($0, "]"))); in_list = 1; next }
in_list && /\[  SKIPPED \]/ { sub(/.*\] */, ""); names = names "\n" name ": " $0 }
/^skip |skipped: / { sub(/^skip |.*skipped: /, ""); reasons[$0]++ }
/^[^ \t<]/ { last = $0 }
/<\/testcase>/ {
    if (!f && (status == "fail" || (says && p + s == 0))) f = 1
    else if (status != "run" && status != "fail" && !s) { s = 1; if (last != "") reasons[last]++ }
    else if (status == "run" && !p && !s) p = 1
    passed += p; failed += f; skipped += s
    for (reason in reasons) names = names "\n" name ": " (reasons[reason] > 1 ? reasons[reason] " times " : "") reason
    if (list && s) print names == "" ? name : substr(names, 2)
    split("", reasons)
}
END { if (!list) print passed + 0, failed + 0, skipped + 0 }
