// Every warning there is: code, name, what it means. The enum, sn_warning_name and docs/diagnostics.md
// are made from this table. Codes are stable: new ones go at the end of their block, old ones stay.
//
//        code  name                       meaning
#define SNI_WARNINGS(X)                                                                                                \
    X(1, TEXT_ENCODING, "a name is not valid UTF-8; the bad bytes were replaced")                                      \
    X(2, NODE_PARENT, "a node names a parent that does not exist; it became a root")                                   \
    X(3, NODE_CYCLE, "nodes are their own ancestors; the loop was cut and one became a root")                          \
    X(4, NODE_TWO_PARENTS, "a node is listed as the child of two nodes; the first keeps it")                           \
    X(5, NOT_FINITE, "NaN or infinite numbers; replaced by 0")                                                         \
    X(6, ROTATION_LENGTH, "a rotation is not of unit length; it was normalised")                                       \
    X(7, WEIGHT_SUM, "vertex weights do not sum to 1; they were normalised")                                           \
    X(8, WEIGHT_ZERO, "vertices without any weight; bound to their first joint")                                       \
    X(9, WEIGHT_NEGATIVE, "negative vertex weights; treated as 0")                                                     \
    X(10, JOINT_RANGE, "a vertex names a joint that the skin does not have; its weight was dropped")                   \
    X(11, JOINT_TWICE, "a vertex names the same joint twice; the weights were added")                                  \
    X(12, INDEX_RANGE, "indices past the last vertex; those faces were dropped")                                       \
    X(13, INDEX_COUNT, "the number of indices does not fit the topology; the rest was dropped")                        \
    X(14, KEY_ORDER, "key times do not rise; the offending keys were dropped")                                         \
    X(15, TRACK_TARGET, "an animation channel drives something that does not exist; it was dropped")                   \
    X(16, TRACK_TWICE, "two channels of a clip drive the same thing; the last one wins")                               \
    X(17, TRACK_EMPTY, "an animation channel has no keys; it was dropped")                                             \
    X(18, REFERENCE, "an index names something that does not exist; it was treated as none")                           \
    X(19, SKIN_EMPTY, "a skin has no usable joints; its parts became rigid")                                           \
    X(20, SKIN_WITHOUT_WEIGHTS, "a skinned part's mesh has no weights; the part became rigid")                         \
    X(21, WEIGHTS_WITHOUT_SKIN, "a mesh has joints and weights but no skin bends it")                                  \
    X(22, MESH_EMPTY, "a mesh has no usable geometry; it was left out")                                                \
    X(23, IMAGE_MISSING, "an image file was not found; its material keeps the name")                                   \
    X(24, IMAGE_TYPE, "an image is not of the type it says it is")                                                     \
    X(25, FILE_MISSING, "a file that the model refers to was not found")                                               \
    X(26, FILE_REFUSED, "a reference leads out of the model's folder or is no relative path; not opened")              \
    X(27, MATRIX_SINGULAR, "a matrix cannot be inverted")                                                              \
    X(28, NORMAL_LENGTH, "normals or tangents are not of unit length; they were normalised")                           \
    X(29, MORPH_COUNT, "the number of morph weights does not fit the mesh")                                            \
    X(30, SCENE_ROOT, "a scene lists a node that is somebody's child")                                                 \
    X(31, SCENE_NONE, "no scene is marked as the default; the first is shown")                                         \
    X(32, VALUE_RANGE, "a number is outside the range that the format allows")                                         \
    X(33, LOST_CONTENT, "content that the model or the target format cannot hold was left out")                        \
    X(34, RESAMPLED, "a curve that the target format cannot hold was sampled")                                         \
    X(35, RENAMED, "a name that another one has too got a number, for programs that go by names")                      \
    X(36, IMAGE_CHECKSUM, "a checksum is not that of the image's bytes; they were read all the same")                  \
    X(37, IMAGE_SHORT, "the data of an image ends early or is damaged; what is missing is black or grey")              \
    X(38, IMAGE_SIZE, "an image says two different sizes; that of its data was taken")                                 \
    X(39, LAYERS_JOINED, "the target format holds one layer of a material; several were painted into one picture")     \
                                                                                                                       \
    X(101, JSON_BOM, "the JSON starts with a byte order mark; it was skipped")                                         \
    X(102, JSON_TYPE, "a property has the wrong type; it was treated as absent")                                       \
    X(103, JSON_EMPTY, "an empty array or object where at least one element is required")                              \
    X(104, JSON_MISSING, "a required property is missing")                                                             \
                                                                                                                       \
    X(201, GLTF_MINOR_VERSION, "a newer minor version of glTF; what is unknown was ignored")                           \
    X(202, GLTF_EXTENSION, "an extension that sinew does not read was ignored")                                        \
    X(203, GLTF_UNDECLARED, "an extension is used but not declared")                                                   \
    X(204, GLB_LENGTH, "the length in the GLB header is not that of the file")                                         \
    X(205, GLB_CHUNK, "a GLB chunk is misplaced, repeated, misaligned or empty")                                       \
    X(206, GLTF_BUFFER, "a buffer breaks the rules of the format")                                                     \
    X(207, GLTF_VIEW, "a buffer view breaks the rules of the format")                                                  \
    X(208, GLTF_ACCESSOR, "an accessor breaks the rules of the format")                                                \
    X(209, GLTF_BOUNDS, "min and max of an accessor are missing or not those of its data")                             \
    X(210, GLTF_ATTRIBUTE, "a vertex attribute breaks the rules of the format; it was ignored or mended")              \
    X(211, GLTF_PRIMITIVE, "a primitive is not usable; it was left out")                                               \
    X(212, GLTF_ANIMATION, "an animation sampler or channel is not usable; it was left out")                           \
    X(213, GLTF_NODE, "a node breaks the rules of the format")                                                         \
    X(214, GLTF_SKIN, "a skin breaks the rules of the format")                                                         \
    X(215, GLTF_MATERIAL, "a material, texture or sampler breaks the rules of the format")                             \
    X(216, GLTF_CAMERA, "a camera breaks the rules of the format")                                                     \
    X(217, GLTF_URI, "a URI breaks the rules of the format")                                                           \
                                                                                                                       \
    X(301, MDX_VERSION, "a version that sinew does not know; read by the rules of the nearest one")                    \
    X(302, MDX_UNKNOWN, "a chunk that sinew does not know; kept when writing, not used")                               \
    X(303, MDX_CHUNK, "a chunk is missing, repeated or too short; what there is of it is kept when writing, not used") \
    X(304, MDX_LEFTOVER,                                                                                               \
      "bytes behind all that an element, a chunk or the file should hold; kept when writing, not used")                \
    X(305, MDX_SECTION, "a geoset lacks one of its arrays")                                                            \
    X(306, MDX_NODE_ID, "nodes without an id, or with that of another; references go to the first")                    \
    X(307, MDX_PIVOT, "nodes and pivots are not as many; nodes without one stand at the origin")                       \
    X(308, MDX_BONE, "vertices name bones that do not exist or are too many; mended")                                  \
    X(309, MDX_LOOSE, "vertices that no bone moves; they stay where they are")                                         \
    X(310, MDX_VERTEX_COUNT, "normals, tangents, texture coordinates or weights are not as many as the vertices")      \
    X(311, MDX_KEY_ORDER, "keys are not in the order of their times; they were sorted")                                \
    X(312, MDX_SEQUENCE, "a sequence ends before it starts, or where it starts; it shows one frame")                   \
                                                                                                                       \
    X(351, MDL_WORD, "a word that MDL does not have here; it was skipped with its value")                              \
    X(352, MDL_NUMBER, "a number in the text is damaged; it was read as 0")                                            \
    X(353, MDL_LIST, "a list of numbers is not what its block needs: too few or too many in a group")                  \
    X(354, MDL_COUNT, "a block announces another number of entries than it has; those that are there count")           \
    X(355, MDL_TRACK, "the keys of a track are not as its interpolation needs them")                                   \
    X(356, MDL_ID, "a node has no id; it got the next free one")                                                       \
    X(357, MDL_TEXT, "a name or path is longer than the format can hold; it was cut")                                  \
                                                                                                                       \
    X(401, W3D_SIZE,                                                                                                   \
      "a chunk's size is not that of what it holds or reaches past the file; what it holds was followed")              \
    X(402, W3D_LEFTOVER, "bytes behind all that a chunk or the file should hold; kept when writing, not used")         \
    X(403, W3D_DEPTH, "chunks lie inside each other too deeply; kept when writing, not used")                          \
    X(404, W3D_UNKNOWN, "a chunk that sinew does not know; kept when writing, not used")                               \
    X(405, W3D_CHUNK, "a chunk is missing, repeated or too short; what there is of it is kept when writing, not used") \
    X(406, W3D_COUNT, "an array is not as long as it should be; it was ignored, or its first element stands for all")  \
    X(407, W3D_CHANNEL, "an animation channel is not usable; kept when writing, not used")                             \
    X(408, W3D_SKELETON, "a skin's bones are in a hierarchy that was not found; it cannot be shown")                   \
    X(409, W3D_BOX,                                                                                                    \
      "a skin posed on its hierarchy does not fill the box in its header: perhaps another hierarchy is meant")         \
    X(410, W3D_ANIMATION,                                                                                              \
      "an animation is for another hierarchy; it was left out, or used by the numbers of its pivots")                  \
                                                                                                                       \
    X(501, LEVEL5_SIZE, "a size or a distance is not that of what it measures; what is there was followed")            \
    X(502, LEVEL5_SECTION, "an array of a mesh reaches past it; the mesh does without")                                \
    X(503, LEVEL5_FACES,                                                                                               \
      "the faces of a mesh fit no game's rule, as those of collision and shadow meshes; kept when writing, not shown") \
    X(504, LEVEL5_LEFTOVER, "bytes behind all that a file should hold; kept when writing, not used")                   \
    X(505, LEVEL5_TEXT,                                                                                                \
      "a quote or a comment in a configuration does not end; it was taken to the end of its line or of the file")      \
    X(506, LEVEL5_DQ8, "a file of Dragon Quest VIII, read by one description that others made: an experiment")         \
                                                                                                                       \
    X(521, LEVEL5_ALONE,                                                                                               \
      "a file that belongs to a model without the model's own; what it holds is listed in the extras")                 \
    X(522, LEVEL5_MODELS, "a pack holds several models; the first is shown, all are listed in the extras")             \
    X(523, LEVEL5_BINDS, "bind matrices are not as many as the nodes; nodes without one go by their rest pose")        \
    X(524, LEVEL5_RIGID,                                                                                               \
      "a mesh has weights but the configuration does not let it be bent; it is rigid, as in the game")                 \
    X(525, LEVEL5_AVERAGED,                                                                                            \
      "weights of an older kind whose meaning is not known for sure; they were scaled to sum to 1")                    \
    X(526, LEVEL5_INDEX, "faces name normals, texture coordinates or colours that are not there; they do without")     \
    X(527, LEVEL5_TRACK, "a track of a type that sinew does not know; kept when writing, not used")                    \
    X(528, LEVEL5_MATRIX,                                                                                              \
      "a matrix that a node cannot say as translation, rotation and scale is scaled by a clip, or moved by one and "   \
      "turned by another; there it is only nearly right")                                                              \
    X(529, LEVEL5_SKIN_MOVES,                                                                                          \
      "a clip of Dark Cloud 1 moves the node of a mesh that is bent by bones which are not below the node's parent; "  \
      "they alone are followed")
