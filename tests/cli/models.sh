# shellcheck shell=bash
# Small models whose answers are known by hand.

# A triangle (1,0,0) (0,1,0) (0,0,1), shown twice: by "arm", 10 along x below "turn", which turns 90 degrees about z;
# and by "mirror", which flips x. The clip "slide" moves arm from 10 to 20 in two seconds.
triangle_buffer()
{
    one='\0\0\0200\0077' zero='\0\0\0\0'
    printf '%b' "$one$zero$zero" "$zero$one$zero" "$zero$zero$one"            # positions
    printf '%b' "$zero$zero$one" "$zero$zero$one" "$zero$zero$one"            # normals: along z
    printf '%b' "$zero$zero" "$one$zero" "$zero"'\0\0\0200\0076'              # uv: (0,0) (1,0) (0,0.25)
    printf '%b' "$zero" '\0\0\0\0100'                                         # times: 0 2
    printf '%b' '\0\0\0040\0101'"$zero$zero" '\0\0\0240\0101'"$zero$zero"     # translations: 10 20 along x
}

# triangle_gltf ARM_NAME CLIP_NAME
triangle_gltf()
{
    cat <<END
{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,2]}],
"nodes":[{"name":"turn","rotation":[0,0,0.70710678,0.70710678],"children":[1]},
 {"name":"$1","mesh":0,"translation":[10,0,0]},
 {"name":"mirror","mesh":0,"scale":[-1,1,1]}],
"meshes":[{"name":"tri","primitives":[{"attributes":{"POSITION":0,"NORMAL":1,"TEXCOORD_0":2}}]}],
"animations":[{"name":"$2","samplers":[{"input":3,"output":4}],
 "channels":[{"sampler":0,"target":{"node":1,"path":"translation"}}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,1]},
 {"bufferView":1,"componentType":5126,"count":3,"type":"VEC3"},
 {"bufferView":2,"componentType":5126,"count":3,"type":"VEC2"},
 {"bufferView":3,"componentType":5126,"count":2,"type":"SCALAR","min":[0],"max":[2]},
 {"bufferView":4,"componentType":5126,"count":2,"type":"VEC3"}],
"bufferViews":[{"buffer":0,"byteLength":36,"target":34962},{"buffer":0,"byteOffset":36,"byteLength":36,"target":34962},
 {"buffer":0,"byteOffset":72,"byteLength":24,"target":34962},{"buffer":0,"byteOffset":96,"byteLength":8},
 {"buffer":0,"byteOffset":104,"byteLength":24}],
"buffers":[{"byteLength":128,"uri":"data:application/octet-stream;base64,$(triangle_buffer | base64 -w 0)"}]}
END
}

# A chain of $1 nodes, each the only child of the one before.
make_deep()
{
    awk -v n="$1" 'BEGIN {
        printf "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":["
        for (i = 1; i < n; i++) printf "{\"children\":[%d]},", i
        print "{}]}"
    }'
}

make_models()
{
    triangle_gltf arm slide >tri.gltf
    triangle_gltf arm 1 >named.gltf
    # Colour, a bell, a direction override, a line end and a C1 control in names.
    triangle_gltf 'arm\u001b[31m\u0007\u202e\nx\u009b31m' 'sl\u001b]0;x\u0007ide' >evil.gltf
    # A node that nothing defines: the reference is dropped with a warning.
    sed 's/"children":\[1\]/"children":[1,99]/' tri.gltf >bad.gltf
}
