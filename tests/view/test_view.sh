#!/usr/bin/env bash
# The window on a virtual screen: test_view.sh TOOL SAMPLES DRIVE DIFFER. Events are handled in order, so a picture
# saved by a key shows the effect of all keys before it. Nothing waits for a fixed time.
drive=$(realpath "$3")
differ=$(realpath "$4")
# shellcheck source-path=SCRIPTDIR source=../cli/harness.sh
. "$(dirname "$0")/../cli/harness.sh"

window='' screen='' patience=1200

leave()
{
    [ -z "$window" ] || kill "$window" 2>/dev/null
    [ -z "$screen" ] || kill "$screen" 2>/dev/null
    rm -rf "$work"
}
trap leave EXIT
[ -z "${KEEP-}" ] || trap - EXIT

# until_holds COMMAND...: repeats it for up to a minute.
until_holds()
{
    for ((tries = 0; tries < patience; tries++)); do
        "$@" && return 0
        sleep 0.05
    done
    return 1
}

open_screen()
{
    Xvfb -displayfd 3 -screen 0 1280x960x24 -nolisten tcp 3>display >/dev/null 2>&1 &
    screen=$!
    until_holds [ -s display ] || return 1
    DISPLAY=:$(cat display)
    export DISPLAY
}

open_window()
{
    "$tool" view "$@" >window_out 2>window_err &
    window=$!
    "$drive" wait
}

# The output of the window; MESA_DEBUG makes the driver print OpenGL errors. Drivers are unloaded before the leak
# sanitizer runs, so their leaks have no names: only leaks with one of our functions count.
words()
{
    if grep -q LeakSanitizer window_err && ! grep -qE ' in (cli|sni?)_' window_err; then
        sed -i '/^====/,$d' window_err
    fi
    cat window_out window_err
}

# close_window TITLE: with a key; it must exit with 0 and print nothing.
close_window()
{
    "$drive" key q
    wait "$window"
    same "$1: clean exit" "$? $(words)" '0 '
    window=''
}

key() { "$drive" key "$@"; }

# take NAME [KEY]: saves a picture without panels, or with F12 of the complete window.
take()
{
    rm -f sinew_001.png
    key "${2-p}"
    until_holds [ -s sinew_001.png ] || fail "$1: no picture was saved"
    mv sinew_001.png "$1.png"
}

# differs TITLE A B LEAST [X Y W H], alike TITLE A B MOST [X Y W H]: in thousandths of the pixels.
differs()
{
    title=$1 a=$2 b=$3 bound=$4
    shift 4
    found=$("$differ" "$a.png" "$b.png" "$@")
    holds "$title: $a and $b differ in $found of 1000 pixels, not in $bound" [ "${found:-0}" -ge "$bound" ]
}

alike()
{
    title=$1 a=$2 b=$3 bound=$4
    shift 4
    found=$("$differ" "$a.png" "$b.png" "$@")
    holds "$title: $a and $b differ in $found of 1000 pixels, more than $bound" [ "${found:-1000}" -le "$bound" ]
}

# Contact sheets of 96 pixels: a band of 15 pixels for the title, the picture, a band of 12 for the time.
test_sheets()
{
    "$tool" render "$samples/hound.mdx" --sheet --frames 1 --size 96 -o hound_sheet.png
    "$tool" render "$samples/hound.mdx" --clip Stand --sheet --frames 1 --size 96 -o stand_sheet.png
    alike 'all clips of a model have one scale' hound_sheet hound_sheet 40 0 15 96 96 192 15     # Stand and Death
    differs 'the second clip is beside the first' hound_sheet hound_sheet 50 0 15 96 96 96 15    # Stand and Walk
    differs 'which one clip alone does not need' hound_sheet stand_sheet 50 0 15 96 96 0 15
    cp "$samples/hound.mdx" "$samples/hound.blp" "$samples/glow.blp" .
    cp hound.mdx a_hound_with_a_name_that_is_far_too_long.mdx
    "$tool" render hound.mdx a_hound*.mdx --sheet --turntable 1 --size 96 -o names.png
    alike 'labels do not cover the model' names names 0 0 15 96 96 96 15
    differs 'they are above it' names names 50 0 0 96 15 96 0
    "$tool" render hound.mdx --camera Portrait --size 96 -o camera.png
    "$tool" render hound.mdx --camera Portrait --clip Stand --size 96 -o stand.png
    "$tool" render hound.mdx --camera Portrait --clip Walk --size 96 -o walk.png
    "$tool" render hound.mdx --camera Portrait --clip rest --size 96 -o rest.png
    alike 'the default clip is Stand' camera stand 0
    differs 'not another' camera walk 1
    holds 'the rest pose can be drawn' [ -s rest.png ]
    mv hound.mdx hound_portrait.mdx
    "$tool" render hound_portrait.mdx --size 96 -o portrait.png
    alike 'a portrait uses its camera' camera portrait 0
    rm ./*.mdx ./*.blp
}

test_picture()
{
    mkdir -p config/sinew            # no timeline, ground or shadows: the model has the complete window
    printf 'show\npanels information\n' >config/sinew/view.conf
    open_window "$samples/hound.mdx" --clip Walk --time 0.5 --size 640x400
    "$drive" title hound.mdx
    pass
    take paused
    "$tool" render "$samples/hound.mdx" --clip Walk --time 0.5 --size 640x400 -o headless.png
    alike 'the window shows what render draws' paused headless 5
    take again
    alike 'paused, nothing moves' paused again 0
}

test_time()
{
    key Right
    take stepped
    differs 'next frame' paused stepped 5
    key Left
    take back
    alike 'previous frame' paused back 2
    key Home
    take first
    differs 'the first frame' paused first 5
    key space
    moves() { take now; [ "$("$differ" first.png now.png)" -ge 5 ]; }
    holds 'it plays' until_holds moves
    key space
    take stopped
    take still
    alike 'it stops' stopped still 0
    key Up Down Down                 # Stand, Walk, Death
    take clip
    differs 'another clip' first clip 5
    key Up
    take walk
    alike 'the previous clip, from its start' first walk 2
    key o
    take once F12
    key o o
    take loop F12
    differs 'the loop mode is shown' once loop 1 0 340 640 60
}

test_overlays()
{
    take without
    for toggle in b n a w v x g d t l; do
        key "$toggle"
        take with
        differs "overlay $toggle" without with 1
        key "$toggle"
        take off
        alike "overlay $toggle off again" without off 0
    done
    key m f                         # above the head: visible after framing again
    take attachments
    differs 'attachments' without attachments 1
    key m f
    take off
    alike 'attachments off again' without off 0
}

test_camera()
{
    for view in 2 3 4 5 6 7; do
        key "$view"
        take "view_$view"
        differs "view $view" without "view_$view" 20
    done
    key 1
    take threequarter
    alike 'view 1 is the initial view' without threequarter 2
    "$drive" drag 1 320 200 400 160
    take turned
    differs 'a left drag rotates' without turned 20
    "$drive" drag 3 320 200 360 240
    take moved
    differs 'a right drag pans' turned moved 20
    "$drive" wheel 3
    take near
    differs 'the wheel zooms' moved near 20
    key c
    take camera
    differs 'the camera of the model' near camera 20
    key c 1 f
    take framed
    alike 'F frames the model' without framed 2
}

test_bones()
{
    "$drive" click 300 170          # on the model: selects the bone that moves it
    take selected
    differs 'a click selects' framed selected 1
    key e
    take heat
    differs 'its weights' selected heat 50
    key e Escape
    take cleared
    alike 'Escape clears the selection' framed cleared 0
    key Tab
    take tree F12
    "$drive" click 90 82            # the fourth row
    take row F12
    differs 'a click in the tree selects' tree row 5 0 75 160 17
    "$drive" click 15 33            # the fold button of the first row
    take folded F12
    differs 'the fold button folds' row folded 20 0 40 160 300
    "$drive" click 15 33
    key Escape
    take unfolded F12
    alike 'the fold button unfolds' tree unfolded 2 0 0 160 340
    key Tab k
    take clips F12
    "$drive" click 560 85           # the last row: Death
    take clip_row F12
    differs 'a click in the list selects a clip' clips clip_row 20 500 20 140 80
    key k j
    take line F12
    "$drive" click 480 372
    take scrubbed F12
    differs 'a click on the timeline seeks' line scrubbed 5 0 340 640 60
    "$drive" drag 1 480 372 100 372
    take dragged F12
    differs 'a drag scrubs' scrubbed dragged 5 0 340 640 60
    key j
}

test_files()
{
    key Page_Down
    "$drive" title house.w3d
    take house
    differs 'the next file' framed house 20
    key Page_Up
    "$drive" title hound.mdx
    pass
    head -c 200 "$samples/arm.glb" >bad.glb
    "$drive" drop bad.glb
    "$drive" title bad.glb
    take error F12
    holds 'an error is shown' [ "$("$differ" error.png near 255 128 107)" -gt 200 ]
    key Page_Down                   # any key closes the error and has no other effect
    take read F12
    same 'a key closes the error' "$("$differ" read.png near 255 128 107)" 0
    mkdir -p 'a folder/below'
    cp "$samples/arm.glb" 'a folder/b arm.glb'
    cp "$samples/face.glb" 'a folder/below/face.glb'
    printf 'no model' >'a folder/below/notes.txt'
    "$drive" drop 'a folder'
    "$drive" title files            # a list: Enter opens the selected file
    key Return
    "$drive" title 'b arm.glb'
    key Page_Down
    "$drive" title face.glb
    key Page_Down
    "$drive" title 'b arm.glb'
    pass
    "$drive" drop "$samples/tank.w3d"
    "$drive" title tank.w3d
    take tank
    differs 'a dropped model' house tank 20
    big w3d.big tank.w3d tank.tga house.w3d house.tga wood.tga gate.tga light.tga
    "$drive" drop w3d.big
    "$drive" title files
    key Return
    "$drive" title house.w3d
    key Page_Down
    "$drive" title tank.w3d
    take packed
    alike 'a model in an archive looks the same' tank packed 2
    mkdir empty
    "$drive" drop empty
    take nothing F12
    holds 'a folder without models is an error' [ "$("$differ" nothing.png near 255 128 107)" -gt 200 ]
    key x
    take goes_on
    alike 'the model stays' packed goes_on 0
}

# Numbers of four bytes, least significant first.
le()
{
    for n; do
        for shift in 0 8 16 24; do printf '%b' "\\0$(printf %03o $((n >> shift & 255)))"; done
    done
}

# A DDS of 4 x 4 pixels with three levels: red, green, blue.
make_dds()
{
    printf 'DDS '
    le 124 0x2100f 4 4 16 0 3 0 0 0 0 0 0 0 0 0 0 0
    le 32 0x41 0 32 0xff0000 0xff00 0xff 0xff000000 0x401008 0 0 0 0
    for ((i = 0; i < 16; i++)); do le 0xffff0000; done
    le 0xff00ff00 0xff00ff00 0xff00ff00 0xff00ff00 0xff0000ff
}

# A list of four files. Its cells are 154 pixels wide, from 12,46; pictures are 128 x 128, at 13,7 in them.
test_browser()
{
    mkdir -p grid/sub
    cp "$samples/arm.glb" grid/a.glb
    cp "$samples/face.glb" grid/c.glb
    cp "$samples/hound.mdx" "$samples/hound.blp" grid/sub/
    head -c 200 "$samples/arm.glb" >grid/b.glb
    "$drive" drop grid
    "$drive" title files
    fills() { take grid F12; [ "$("$differ" grid.png near 48 54 61 "$@")" -lt 14000 ]; }    # of 16384 pixels
    holds 'a thumbnail of the first file' until_holds fills 25 53 128 128
    holds 'a thumbnail of the third file' until_holds fills 333 53 128 128
    holds 'a thumbnail with the texture below its folder' until_holds fills 487 53 128 128
    holds 'the second file shows its error' [ "$("$differ" grid.png near 255 128 107)" -gt 30 ]
    key Right Right
    take grid_right F12
    differs 'the arrow keys select' grid grid_right 100 324 50 8 140
    key f a i l
    take none F12
    differs 'no match' grid_right none 100 24 46 592 150
    key Escape
    take grid_all F12
    alike 'Escape clears the search' grid grid_all 40
    key h o u n
    take found F12
    differs 'typing filters' grid_all found 100 200 46 400 150
    key Return
    "$drive" title hound.mdx
    take opened
    differs 'Enter opens' found opened 100
    key Return
    "$drive" title files
    "$drive" click 90 110
    "$drive" click 90 110           # within the time of a double click
    "$drive" title a.glb
    pass
    key Return Escape
    "$drive" title a.glb
    pass
    "$drive" drop "$samples/wood.tga"
    "$drive" title wood.tga
    take texture
    differs 'a texture' opened texture 100
    holds 'an opaque texture hides the checkerboard' [ "$("$differ" texture.png near 153 153 153)" -lt 100 ]
    "$drive" drop "$samples/glow.blp"
    "$drive" title glow.blp
    take glow
    holds 'a transparent texture over a checkerboard' [ "$("$differ" glow.png near 153 153 153)" -gt 100 ]
    "$drive" move 320 200
    "$drive" wheel 3
    take glow_near
    differs 'the wheel zooms a texture' glow glow_near 20
    key f
    take glow_fit
    alike 'F fits it' glow glow_fit 0
    key Page_Up
    "$drive" title gate.tga
    pass
    make_dds >levels.dds
    "$drive" drop levels.dds
    "$drive" title levels.dds
    take level_0
    key Down
    take level_1
    key Down Down                   # the last
    take level_2
    key Up Up Up
    take level_top
    red=$("$differ" level_0.png near 255 0 0)
    holds 'the largest level' [ "$red" -gt 10000 ]
    same 'the next level, as large' "$("$differ" level_1.png near 0 255 0)" "$red"
    same 'the last level, as large' "$("$differ" level_2.png near 0 0 255)" "$red"
    alike 'back to the first level' level_0 level_top 0
}

# Findings, and toggles that hide something.
test_information()
{
    mkdir lone
    cp "$samples/golem.mdx" lone/
    "$drive" drop lone/golem.mdx
    "$drive" title golem.mdx
    take clean F12
    key s
    take findings F12
    differs 'findings' clean findings 100 0 240 640 160
    "$drive" move 300 360
    "$drive" wheel -3
    take scrolled F12
    differs 'findings scroll' findings scrolled 10 0 240 640 160
    key s t
    take untextured F12
    differs 'a badge says that there are no textures' clean untextured 200 8 70 110 30
    key t Tab k
    take before_drop F12
    "$drive" drop "$samples/golem.mdx"
    "$drive" title golem.mdx
    take after_drop F12
    alike 'panels are drawn at once after a drop' before_drop after_drop 10 0 20 160 380
    key Tab k Down
    take chosen
    "$drive" move 320 200
    "$drive" wheel 5
    take zoomed
    differs 'zoomed in' chosen zoomed 50
    key Up Down
    take framed_again
    alike 'choosing a clip frames it' chosen framed_again 2
}

test_help()
{
    take before F12
    key h
    take help F12
    differs 'help' before help 300
    key h
    take after F12
    alike 'help closes' before after 2 0 40 640 320
    for size in '320 240' '1200 900' '640 400'; do
        # shellcheck disable=SC2086
        "$drive" size $size
        key h
        take "help_${size% *}" F12
        [ "$size" != '320 240' ] || key Page_Down
        take "help_on_${size% *}" F12
        key h
    done
    differs 'help scrolls in a small window' help_320 help_on_320 50
    alike 'help does not scroll in a large window' help_1200 help_on_1200 0
    key h
    take states F12
    key h g h
    take other_states F12
    differs 'help shows which toggles are on' states other_states 1
    key h g
    pass
}

test_settings()
{
    key b
    "$drive" size 700 500
    take sized
    close_window 'a window'
    says 'the size is saved' "$(cat config/sinew/view.conf)" '^size 700 500$'
    says 'overlays are saved' "$(cat config/sinew/view.conf)" '^show .*bones'
    "$tool" "$samples/arm.glb" >window_out 2>window_err &      # without a command
    window=$!
    "$drive" title arm.glb
    take remembered
    size=$(od -An -tu1 -j16 -N8 remembered.png | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }')
    same 'the size is restored' "$size" 700x500
    key b
    close_window 'a second window'
    says 'changed overlays are saved' "$(grep -c '^show .*bones' config/sinew/view.conf)" 0
    printf 'size 1 1\nrubbish\n\n\377' >config/sinew/view.conf
    export MESA_GL_VERSION_OVERRIDE=2.1      # forces OpenGL ES
    open_window
    take empty_window F12
    "$drive" drop "$samples/arm.glb"
    "$drive" title arm.glb
    key space Home
    take es
    close_window 'an empty window, with OpenGL ES'
    unset MESA_GL_VERSION_OVERRIDE
    open_window "$samples/arm.glb"
    key space Home
    take gl
    close_window 'the same with OpenGL'
    alike 'OpenGL ES draws the same' es gl 5
}

test_watch()
{
    cp "$samples/arm.glb" watched.glb
    open_window watched.glb --watch --clip bend --time 0
    take watched
    cp "$samples/face.glb" new.glb && mv new.glb watched.glb
    changes() { take now; [ "$("$differ" watched.png now.png)" -ge 20 ]; }
    holds 'a changed file is reloaded' until_holds changes
    head -c 200 "$samples/arm.glb" >new.glb && mv new.glb watched.glb
    complains() { take now F12; [ "$("$differ" now.png near 255 128 107)" -gt 200 ]; }
    holds 'a damaged file is reported' until_holds complains
    cp "$samples/arm.glb" new.glb && mv new.glb watched.glb
    recovers() { take now F12; [ "$("$differ" now.png near 255 128 107)" = 0 ]; }
    holds 'a repaired file clears the error' until_holds recovers
    close_window 'watching'
}

test_no_display()
{
    unset DISPLAY WAYLAND_DISPLAY
    fails_quietly 'no display' 6 view "$samples/arm.glb"
    works 'a file without a command and without a display' "$samples/arm.glb"
    says 'prints information' "$out" '^  geometry '
    DISPLAY=:4711 fails_quietly 'a display that does not exist' 6 view "$samples/arm.glb"
}

command -v Xvfb >/dev/null || { printf 'skip: Xvfb is not installed (Debian: xvfb)\n'; exit 77; }
open_screen || { printf 'skip: Xvfb does not start\n'; exit 77; }
export XDG_CONFIG_HOME=$work/config LIBGL_ALWAYS_SOFTWARE=1 MESA_DEBUG=1 LSAN_OPTIONS=${LSAN_OPTIONS-}:exitcode=0
"$tool" render "$samples/arm.glb" --size 8 -o probe.png 2>/dev/null || { printf 'skip: no OpenGL\n'; exit 77; }
test_sheets
test_picture
test_time
test_overlays
test_camera
test_bones
test_files
test_browser
test_information
test_help
test_settings
test_watch
test_no_display
finish
