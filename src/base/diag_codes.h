// Every warning: code, name, meaning. The enum, sn_warning_name and docs/diagnostics.md are generated from this table.
// Codes are stable: add new ones at the end of their block, never reuse one.
// clang-format off
#define SNI_WARNINGS(X) \
    X(1, TEXT_ENCODING, "a name is not valid UTF-8; the bad bytes were replaced") \
    X(2, NODE_PARENT, "a node refers to a parent that does not exist; it became a root") \
    X(3, NODE_CYCLE, "a node is its own ancestor; the cycle was cut and one node became a root") \
    X(4, NODE_TWO_PARENTS, "a node is listed as the child of two nodes; the first one keeps it") \
    X(5, NOT_FINITE, "NaN or infinite numbers; replaced by 0") \
    X(6, ROTATION_LENGTH, "a rotation does not have unit length; it was normalised") \
    X(7, WEIGHT_SUM, "vertex weights do not sum to 1; they were normalised") \
    X(8, WEIGHT_ZERO, "vertices without any weight; bound to their first joint") \
    X(9, WEIGHT_NEGATIVE, "negative vertex weights; treated as 0") \
    X(10, JOINT_RANGE, "a vertex refers to a joint that the skin does not have; its weight was dropped") \
    X(11, JOINT_TWICE, "a vertex refers to the same joint twice; the weights were added") \
    X(12, INDEX_RANGE, "indices past the last vertex; those faces were dropped") \
    X(13, INDEX_COUNT, "the number of indices does not fit the topology; the excess was dropped") \
    X(14, KEY_ORDER, "key times do not increase; the offending keys were dropped") \
    X(15, TRACK_TARGET, "an animation channel targets something that does not exist; it was dropped") \
    X(16, TRACK_TWICE, "two channels of a clip have the same target; the last one is used") \
    X(17, TRACK_EMPTY, "an animation channel has no keys; it was dropped") \
    X(18, REFERENCE, "an index refers to something that does not exist; treated as none") \
    X(19, SKIN_EMPTY, "a skin has no usable joints; its parts became rigid") \
    X(20, SKIN_WITHOUT_WEIGHTS, "the mesh of a skinned part has no weights; the part became rigid") \
    X(21, WEIGHTS_WITHOUT_SKIN, "a mesh has joints and weights but no skin uses it") \
    X(22, MESH_EMPTY, "a mesh has no usable geometry; it was left out") \
    X(23, IMAGE_MISSING, "an image file was not found; its material keeps the name") \
    X(24, IMAGE_TYPE, "the data of an image is not of the declared type") \
    X(25, FILE_MISSING, "a file that the model refers to was not found") \
    X(26, FILE_REFUSED, "a reference leads out of the model's folder or is not a relative path; it was not opened") \
    X(27, MATRIX_SINGULAR, "a matrix cannot be inverted") \
    X(28, NORMAL_LENGTH, "normals or tangents do not have unit length; they were normalised") \
    X(29, MORPH_COUNT, "the number of morph weights does not fit the mesh") \
    X(30, SCENE_ROOT, "a scene lists a node that has a parent") \
    X(31, SCENE_NONE, "no scene is marked as the default; the first is shown") \
    X(32, VALUE_RANGE, "a number is outside the range that the format allows") \
    X(33, LOST_CONTENT, "the target cannot hold this content; it was left out") \
    X(34, RESAMPLED, "the target cannot hold this curve; it was sampled") \
    X(35, RENAMED, "a duplicate name got a number appended, for programs that look things up by name") \
    X(36, IMAGE_CHECKSUM, "a checksum does not match the data of an image; the image was read anyway") \
    X(37, IMAGE_SHORT, "the data of an image is truncated or damaged; missing pixels are black or grey") \
    X(38, IMAGE_SIZE, "an image states two different sizes; the size of its data was used") \
    X(39, LAYERS_JOINED, "the target holds one layer per material; several layers were baked into one texture") \
    X(40, EMPTY, "the model shows nothing; the message says why") \
    \
    X(101, JSON_BOM, "the JSON starts with a byte order mark; it was skipped") \
    X(102, JSON_TYPE, "a property has the wrong type; treated as absent") \
    X(103, JSON_EMPTY, "an array or object is empty where at least one element is required") \
    X(104, JSON_MISSING, "a required property is missing") \
    \
    X(201, GLTF_MINOR_VERSION, "a newer minor version of glTF; unknown content was ignored") \
    X(202, GLTF_EXTENSION, "an extension that sinew does not support was ignored") \
    X(203, GLTF_UNDECLARED, "an extension is used but not declared") \
    X(204, GLB_LENGTH, "the length in the GLB header differs from the file's") \
    X(205, GLB_CHUNK, "a GLB chunk is misplaced, duplicate, misaligned or empty") \
    X(206, GLTF_BUFFER, "a buffer breaks the rules of the format") \
    X(207, GLTF_VIEW, "a buffer view breaks the rules of the format") \
    X(208, GLTF_ACCESSOR, "an accessor breaks the rules of the format") \
    X(209, GLTF_BOUNDS, "min or max of an accessor is missing or differs from its data") \
    X(210, GLTF_ATTRIBUTE, "a vertex attribute breaks the rules of the format; it was ignored or fixed") \
    X(211, GLTF_PRIMITIVE, "a primitive is not usable; it was left out") \
    X(212, GLTF_ANIMATION, "an animation sampler or channel is not usable; it was left out") \
    X(213, GLTF_NODE, "a node breaks the rules of the format") \
    X(214, GLTF_SKIN, "a skin breaks the rules of the format") \
    X(215, GLTF_MATERIAL, "a material, texture or sampler breaks the rules of the format") \
    X(216, GLTF_CAMERA, "a camera breaks the rules of the format") \
    X(217, GLTF_URI, "a URI breaks the rules of the format") \
    \
    X(301, MDX_VERSION, "an unknown version; read by the rules of the nearest known one") \
    X(302, MDX_UNKNOWN, "an unknown chunk; kept when writing, not used") \
    X(303, MDX_CHUNK, "a chunk is missing, duplicate or too short; kept when writing, not used") \
    X(304, MDX_LEFTOVER, "extra bytes after an element, a chunk or the file; kept when writing, not used") \
    X(305, MDX_SECTION, "a geoset lacks one of its arrays") \
    X(306, MDX_NODE_ID, "a node has no id or a duplicate one; references go to the first") \
    X(307, MDX_PIVOT, "there are fewer pivots than nodes, or more; nodes without one are at the origin") \
    X(308, MDX_BONE, "vertices refer to bones that do not exist or to too many bones; fixed") \
    X(309, MDX_LOOSE, "vertices without a bone; they do not move") \
    X(310, MDX_VERTEX_COUNT, "normals, tangents, texture coordinates or weights do not match the vertex count") \
    X(311, MDX_KEY_ORDER, "keys are not sorted by time; they were sorted") \
    X(312, MDX_SEQUENCE, "a sequence does not end after it starts; it shows one frame") \
    \
    X(351, MDL_WORD, "an unexpected word; it was skipped with its value") \
    X(352, MDL_NUMBER, "a number in the text is damaged; read as 0") \
    X(353, MDL_LIST, "a list of numbers does not have the length that its block needs") \
    X(354, MDL_COUNT, "a block does not have as many entries as it states; the actual entries are used") \
    X(355, MDL_TRACK, "the keys of a track do not fit its interpolation") \
    X(356, MDL_ID, "a node has no id; it got the next free one") \
    X(357, MDL_TEXT, "a name or path is longer than the format allows; it was truncated") \
    \
    X(401, W3D_SIZE, "a chunk's size differs from its content or exceeds the file; the content was used") \
    X(402, W3D_LEFTOVER, "extra bytes after a chunk or the file; kept when writing, not used") \
    X(403, W3D_DEPTH, "chunks are nested too deeply; kept when writing, not used") \
    X(404, W3D_UNKNOWN, "an unknown chunk; kept when writing, not used") \
    X(405, W3D_CHUNK, "a chunk is missing, duplicate or too short; kept when writing, not used") \
    X(406, W3D_COUNT, "an array has the wrong length; it was ignored, or its first element is used for all") \
    X(407, W3D_CHANNEL, "an animation channel is not usable; kept when writing, not used") \
    X(408, W3D_SKELETON, "the hierarchy of a skin was not found; the skin cannot be shown") \
    X(409, W3D_BOX, "a skin on its hierarchy does not fill its box; perhaps the hierarchy is the wrong one") \
    X(410, W3D_ANIMATION, "an animation is for another hierarchy; it was left out or matched by pivot numbers") \
    \
    X(501, LEVEL5_SIZE, "a size or offset differs from the actual data; the data was used") \
    X(502, LEVEL5_SECTION, "an array of a mesh exceeds the mesh; it was ignored") \
    X(503, LEVEL5_FACES, "faces of neither game, as in collision and shadow meshes; kept when writing, not shown") \
    X(504, LEVEL5_LEFTOVER, "extra bytes at the end of a file; kept when writing, not used") \
    X(505, LEVEL5_TEXT, "an unterminated quote or comment in a configuration; it ends with its line or the file") \
    X(506, LEVEL5_DQ8, "a Dragon Quest VIII file; support is experimental and rests on one public description") \
    \
    X(521, LEVEL5_ALONE, "a companion file without its model; its content is listed in the extras") \
    X(522, LEVEL5_MODELS, "a pack holds several models; the first is shown, all are listed in the extras") \
    X(523, LEVEL5_BINDS, "bind matrices do not match the node count; nodes without one use their rest pose") \
    X(524, LEVEL5_RIGID, "a mesh with weights that the configuration does not list as skinned; rigid, as in the game") \
    X(525, LEVEL5_AVERAGED, "weights of an older kind whose meaning is uncertain; they were normalised") \
    X(526, LEVEL5_INDEX, "faces refer to missing normals, texture coordinates or colours; these were left out") \
    X(527, LEVEL5_TRACK, "a track of unknown type; kept when writing, not used") \
    X(528, LEVEL5_MATRIX, "a clip scales a sheared node, or moves one that another rotates; approximate") \
    X(529, LEVEL5_SKIN_MOVES, "a clip moves a skinned mesh whose bones are elsewhere; only the bones are followed")
// clang-format on
