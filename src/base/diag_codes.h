// Every warning: code, name, severity, what it means, what to do about it. The enum, sn_warning_at and
// docs/diagnostics.md are generated from this table. NOTE: nothing is lost, and games show the model as it is.
// Codes are stable: add new ones at the end of their block, never reuse one.
// clang-format off
#define SNI_WARNINGS(X) \
    X(1, TEXT_ENCODING, WARNING, "a name is not valid UTF-8; the bad bytes were replaced", \
      "save the file with UTF-8 names, or rename the element") \
    X(2, NODE_PARENT, WARNING, "a node refers to a parent that does not exist; it became a root", \
      "set the parent in the program that made the file, or remove the reference") \
    X(3, NODE_CYCLE, WARNING, "a node is its own ancestor; the cycle was cut and one node became a root", \
      "give one node of the cycle another parent") \
    X(4, NODE_TWO_PARENTS, WARNING, "a node is listed as the child of two nodes; the first one keeps it", \
      "remove the node from the second list of children") \
    X(5, NOT_FINITE, WARNING, "numbers are NaN or infinite; they were replaced by 0", \
      "export the element at the offset again; the usual causes are a division by zero and empty data") \
    X(6, ROTATION_LENGTH, NOTE, "a rotation does not have unit length; it was normalised", \
      "none needed; to silence it, export again with normalised rotations") \
    X(7, WEIGHT_SUM, NOTE, "vertex weights do not sum to 1; they were normalised", \
      "none needed; to silence it, normalise the weights in the modelling program") \
    X(8, WEIGHT_ZERO, WARNING, "vertices have no weights; they were bound to their first joint", \
      "weight these vertices to a bone") \
    X(9, WEIGHT_NEGATIVE, WARNING, "vertex weights are negative; they were treated as 0", \
      "normalise the weights in the modelling program") \
    X(10, JOINT_RANGE, WARNING, "a vertex refers to a joint that the skin does not have; its weight was dropped", \
      "weight the vertices to joints of the skin, or add the joint to the skin") \
    X(11, JOINT_TWICE, NOTE, "a vertex refers to the same joint twice; the weights were added", \
      "none needed") \
    X(12, INDEX_RANGE, WARNING, "indices are past the last vertex; those faces were dropped", \
      "remove the faces, or export the mesh again") \
    X(13, INDEX_COUNT, WARNING, "the number of indices does not fit the topology; those left over were dropped", \
      "export the mesh again as a plain triangle list") \
    X(14, KEY_ORDER, WARNING, "key times do not increase; the offending keys were dropped", \
      "sort the keys by time and remove duplicate times") \
    X(15, TRACK_TARGET, WARNING, "an animation channel targets something that does not exist; it was dropped", \
      "remove the channel, or restore the node that it animates") \
    X(16, TRACK_TWICE, WARNING, "two channels of a clip have the same target; the last one is used", \
      "keep one of the channels") \
    X(17, TRACK_EMPTY, NOTE, "an animation channel has no keys; it was dropped", \
      "remove the channel") \
    X(18, REFERENCE, WARNING, "an index refers to something that does not exist; it was treated as absent", \
      "restore the element, or remove the reference; for W3D, name the folder of the file that has it with --search") \
    X(19, SKIN_EMPTY, WARNING, "a skin has no usable joints; its parts became rigid", \
      "add joints to the skin, or remove the skin") \
    X(20, SKIN_WITHOUT_WEIGHTS, WARNING, "the mesh of a skinned part has no weights; the part became rigid", \
      "weight the mesh to the joints of its skin, or remove the skin") \
    X(21, WEIGHTS_WITHOUT_SKIN, NOTE, "a mesh has joints and weights but no skin uses it", \
      "assign the skin, or remove joints and weights") \
    X(22, MESH_EMPTY, WARNING, "a mesh has no usable geometry; it was left out", \
      "remove the mesh, or export it again") \
    X(23, IMAGE_MISSING, WARNING, "an image file was not found; its material keeps the name", \
      "put the file beside the model, or name its folder with --search or its archive with --archive") \
    X(24, IMAGE_TYPE, WARNING, "the data of an image is not of the declared type", \
      "rename the image, or declare its actual type; games choose the decoder by name") \
    X(25, FILE_MISSING, WARNING, "a file that the model refers to was not found", \
      "put the file beside the model, or name its folder with --search or its archive with --archive") \
    X(26, FILE_REFUSED, WARNING, \
      "a reference leads out of the model's folder or is not a relative path; it was not opened", \
      "use a relative path inside the model's folder") \
    X(27, MATRIX_SINGULAR, WARNING, "a matrix cannot be inverted", \
      "remove the zero scale from the node") \
    X(28, NORMAL_LENGTH, NOTE, "normals or tangents do not have unit length; they were normalised", \
      "none needed; to silence it, export again with normalised vectors") \
    X(29, MORPH_COUNT, WARNING, "the number of morph weights does not fit the mesh", \
      "give the mesh one weight for each morph") \
    X(30, SCENE_ROOT, NOTE, "a scene lists a node that has a parent", \
      "list root nodes only") \
    X(31, SCENE_NONE, NOTE, "no scene is marked as the default; the first is shown", \
      "mark one scene as the default") \
    X(32, VALUE_RANGE, WARNING, "a number is outside the range that the format allows", \
      "correct the number at the offset") \
    X(33, LOST_CONTENT, WARNING, "the target cannot hold this content; it was left out or approximated", \
      "choose a target that can hold it (.mdx and .mdl hold all of a Warcraft III model), or accept the loss") \
    X(34, RESAMPLED, NOTE, "the target cannot hold this curve; it was sampled", \
      "none needed; the sampled curve stays within the error limit") \
    X(35, RENAMED, NOTE, "a duplicate name got a number appended, for programs that look things up by name", \
      "give the elements different names") \
    X(36, IMAGE_CHECKSUM, WARNING, "a checksum does not match the data of an image; the image was read anyway", \
      "copy the image again from its source; it may be damaged") \
    X(37, IMAGE_SHORT, WARNING, "the data of an image is truncated or damaged; missing pixels are black or grey", \
      "copy the image again from its source, or save it again") \
    X(38, IMAGE_SIZE, WARNING, "the stated size of an image differs from that of its data; the latter was used", \
      "save the image again") \
    X(39, LAYERS_JOINED, NOTE, \
      "the target has one layer per material; several layers were baked into one texture", \
      "none needed; for separate layers, convert to .mdx or .mdl") \
    X(40, EMPTY, WARNING, "the model shows nothing; the message gives the reason", \
      "if the skeleton is missing, name its folder with --search or --game; emitters and ribbons are not converted") \
    X(44, IMAGE_UNREADABLE, WARNING, "an image cannot be decoded; the model is shown without it", \
      "copy the image again from its source, or save it again in a format that sinew reads") \
    X(45, FILE_NAME, WARNING, "the extension of a file does not match its content", \
      "rename the file; games and other tools choose the reader by the extension") \
    X(46, GAME_FORMAT, NOTE, "the game uses files of another format; nothing was checked", \
      "convert the model first: sinew convert FILE -o OUT --target GAME") \
    X(47, GAME_IMAGE_SIZE, NOTE, "the sides of a texture are not powers of two; games may reject or blur it", \
      "scale the texture; saving a model with BLP textures does this") \
    X(48, REPAIRED, NOTE, "the file was changed to follow the rules of the game; nothing is lost", \
      "none needed") \
    \
    X(101, JSON_BOM, NOTE, "the JSON starts with a byte order mark; it was skipped", \
      "save the file as UTF-8 without a byte order mark") \
    X(102, JSON_TYPE, WARNING, "a property has the wrong type; treated as absent", \
      "correct the type of the property") \
    X(103, JSON_EMPTY, NOTE, "an array or object is empty, but at least one element is required", \
      "remove the empty array or object") \
    X(104, JSON_MISSING, WARNING, "a required property is missing", \
      "add the property") \
    \
    X(201, GLTF_MINOR_VERSION, NOTE, "the file has a newer minor version of glTF; unknown content was ignored", \
      "none needed; update sinew if something is missing") \
    X(202, GLTF_EXTENSION, WARNING, "an extension that sinew does not support was ignored", \
      "export again without the extension if the model looks wrong") \
    X(203, GLTF_UNDECLARED, NOTE, "an extension is used but not declared", \
      "add the extension to extensionsUsed") \
    X(204, GLB_LENGTH, WARNING, "the length in the GLB header differs from the file's", \
      "export the file again, or copy it again if it was truncated") \
    X(205, GLB_CHUNK, WARNING, "a GLB chunk is misplaced, duplicate, misaligned or empty", \
      "export the file again") \
    X(206, GLTF_BUFFER, WARNING, "a buffer breaks the rules of the format", \
      "export the file again; the path names the buffer") \
    X(207, GLTF_VIEW, WARNING, "a buffer view breaks the rules of the format", \
      "export the file again; the path names the buffer view") \
    X(208, GLTF_ACCESSOR, WARNING, "an accessor breaks the rules of the format", \
      "export the file again; the path names the accessor") \
    X(209, GLTF_BOUNDS, NOTE, "min or max of an accessor is missing or differs from its data", \
      "compute min and max from the data") \
    X(210, GLTF_ATTRIBUTE, WARNING, "a vertex attribute breaks the rules of the format; it was ignored or fixed", \
      "export the mesh again; the path names the attribute") \
    X(211, GLTF_PRIMITIVE, WARNING, "a primitive is not usable; it was left out", \
      "export the mesh again; the path names the primitive") \
    X(212, GLTF_ANIMATION, WARNING, "an animation sampler or channel is not usable; it was left out", \
      "export the animation again; the path names the sampler or channel") \
    X(213, GLTF_NODE, WARNING, "a node breaks the rules of the format", \
      "correct the node; the path names it") \
    X(214, GLTF_SKIN, WARNING, "a skin breaks the rules of the format", \
      "correct the skin; the path names it") \
    X(215, GLTF_MATERIAL, WARNING, "a material, texture or sampler breaks the rules of the format", \
      "correct the material, texture or sampler; the path names it") \
    X(216, GLTF_CAMERA, WARNING, "a camera breaks the rules of the format", \
      "correct the camera; the path names it") \
    X(217, GLTF_URI, WARNING, "a URI breaks the rules of the format", \
      "escape the characters of the URI that RFC 3986 does not allow") \
    \
    X(301, MDX_VERSION, WARNING, "the version is unknown; the file was read like the nearest known version", \
      "set the version to 800, or to 900 and above for Reforged") \
    X(302, MDX_UNKNOWN, NOTE, "an unknown chunk; kept when writing, not used", \
      "none needed; check that the model looks right") \
    X(303, MDX_CHUNK, WARNING, "a chunk is missing, duplicate or too short; kept when writing, not used", \
      "save the model again in a model editor") \
    X(304, MDX_LEFTOVER, NOTE, "extra bytes after an element, a chunk or the file; kept when writing, not used", \
      "none needed; save the model again in a model editor to remove them") \
    X(305, MDX_SECTION, WARNING, "a geoset lacks one of its arrays", \
      "export the geoset again with vertices, normals and faces") \
    X(306, MDX_NODE_ID, WARNING, "a node has no id or a duplicate one; references go to the first", \
      "give each node its own id, counted from 0") \
    X(307, MDX_PIVOT, WARNING, "there are fewer pivots than nodes, or more; nodes without one are at the origin", \
      "write one pivot for each node, in the order of the ids") \
    X(308, MDX_BONE, WARNING, "vertices refer to bones that do not exist, or to too many bones; this was fixed", \
      "correct the matrix groups of the geoset; the game supports only a few bones per vertex") \
    X(309, MDX_LOOSE, WARNING, "vertices have no bone; they do not move", \
      "attach the vertices to a bone") \
    X(310, MDX_VERTEX_COUNT, WARNING, \
      "normals, tangents, texture coordinates or weights do not match the vertex count", \
      "export the geoset again") \
    X(311, MDX_KEY_ORDER, WARNING, "keys are not sorted by time; they were sorted", \
      "sort the keys; the game plays unsorted keys incorrectly") \
    X(312, MDX_SEQUENCE, WARNING, "a sequence does not end after it starts; it shows one frame", \
      "set the end of the sequence to a time after its start") \
    X(313, WAR3_VERSION, WARNING, "the game does not load this version of the format", \
      "save the model for the game: sinew convert FILE -o OUT.mdx --target war3 or reforged") \
    X(314, WAR3_IDS, WARNING, "the ids of objects are not 0, 1, 2 and so on, each used once", \
      "renumber the objects; 'sinew check --target war3 --fix' does it") \
    X(315, WAR3_BONES_FIRST, WARNING, \
      "an object that is not a bone has a lower id than a bone; the game attaches vertices only to the first ids", \
      "number bones first; 'sinew check --target war3 --fix' does it") \
    X(316, WAR3_PIVOTS, NOTE, "the number of pivots is not the number of objects", \
      "write as many pivots as objects; 'sinew check --target war3 --fix' does it") \
    X(317, WAR3_PARENT, WARNING, "the parent of an object does not exist, or is the object itself or below it", \
      "set the parent to an object above it, or to none") \
    X(318, WAR3_NOT_A_BONE, WARNING, "vertices are attached to an object that is not a bone; the game ignores it", \
      "make the object a bone, or attach the vertices to one") \
    X(319, WAR3_UNATTACHED, WARNING, \
      "vertices are attached to nothing, or to an object or group that does not exist", \
      "attach the vertices to a bone") \
    X(320, WAR3_GROUPS, WARNING, "a geoset has more than 255 groups of bones", \
      "split the geoset; sinew convert --target war3 does it") \
    X(321, WAR3_VERTICES, WARNING, "a geoset has more vertices than the game draws correctly", \
      "split the geoset; sinew convert --target war3 does it") \
    X(322, WAR3_WEIGHTS, WARNING, "the weights of a vertex do not sum to 255", \
      "normalise the weights; 'sinew check --target war3 --fix' does it") \
    X(323, WAR3_BIND_POSE, NOTE, \
      "the number of bind pose matrices is not the number of objects plus one, or tangents are missing", \
      "export the model again for Reforged; sinew convert --target reforged does it") \
    X(324, WAR3_SEQUENCE_ORDER, WARNING, "a sequence starts before another one ends; the game plays the wrong one", \
      "sort the sequences so that they do not overlap; 'sinew check --target war3 --fix' sorts them") \
    X(325, WAR3_SEQUENCE_TIME, NOTE, "a sequence or global sequence has no length, or a negative one", \
      "set the end to a time after the start") \
    X(326, WAR3_SEQUENCE_NAME, NOTE, "the game does not look for a sequence of this name", \
      "use a name of the game: Stand, Walk, Attack, Death, Spell, Portrait and so on") \
    X(327, WAR3_UNIT, WARNING, "the model lacks a sequence that every unit needs", \
      "add the sequences Stand and Death; models that are not units do not need them") \
    X(328, WAR3_ORIGIN, NOTE, "the model has no attachment \"Origin Ref\"; effects on a unit need it", \
      "add the attachment at the origin") \
    X(329, WAR3_EXTENTS, NOTE, "extents are missing, are not numbers, or their minimum is above their maximum", \
      "compute the extents again; 'sinew check --target war3 --fix' does it") \
    X(330, WAR3_KEY_ORDER, WARNING, "key times do not increase; the game plays such a track incorrectly", \
      "sort the keys; 'sinew check --target war3 --fix' does it") \
    X(331, WAR3_KEY_TWICE, NOTE, "two keys of a track have the same time, or a key has a negative time", \
      "keep one of the keys") \
    X(332, WAR3_KEY_AT_START, WARNING, \
      "a value changes during a sequence but has no key at its start; the value jumps there in the game", \
      "add a key at the start of the sequence; 'sinew check --target war3 --fix' does it") \
    X(333, WAR3_KEY_OUTSIDE, NOTE, "keys are outside all sequences, or a track has no keys; the game ignores them", \
      "remove the keys") \
    X(334, WAR3_VISIBILITY, NOTE, "a visibility track is not stepped; the game plays it stepped", \
      "set the interpolation to none; 'sinew check --target war3 --fix' does it") \
    X(335, WAR3_TEXTURE, WARNING, "a texture has a path that the game does not load, or an unknown replaceable id", \
      "use a .blp, .tga, .tif or .dds, or a replaceable id of the game: 1, 2, 11, 21, 31 to 37") \
    X(336, WAR3_TEXTURE_BOTH, NOTE, "a texture has both a path and a replaceable id", \
      "keep one of them") \
    X(337, WAR3_MATERIAL, NOTE, "a material has no layers, an unknown filter mode or an unknown shader", \
      "give the material a layer with a filter mode from 0 to 6") \
    X(338, WAR3_REFERENCE, WARNING, "an index refers to an element that does not exist; the game may crash", \
      "restore the element, or remove the reference") \
    X(339, WAR3_GEOSET, NOTE, "a geoset has no faces, or several geoset animations", \
      "remove the geoset, or all but one of the geoset animations") \
    X(340, WAR3_INVISIBLE, WARNING, \
      "a bone refers to a geoset animation that is always transparent; its geoset may be invisible", \
      "set the geoset animation of the bone to none") \
    X(341, WAR3_LIGHT, NOTE, "a light fades at a distance that the game does not expect: 80 to 200", \
      "set the attenuation to 80 and 200, or to values between them") \
    X(342, WAR3_PATH, WARNING, \
      "the path of a model does not end in .mdl or .mdx, or the path of face effects does not end in .facefx", \
      "correct the path") \
    X(343, WAR3_EMITTER, WARNING, "because of a setting, the game does not show an emitter, or shows it differently", \
      "correct the setting; the message names it") \
    X(344, WAR3_EMITTER_GRID, NOTE, "rows or columns of a particle texture are not powers of two", \
      "divide the texture into 1, 2, 4, 8 or 16 rows and columns; --fix changes 0 to 1") \
    X(345, WAR3_EVENT, WARNING, "an event has no times, so it never happens", \
      "add a time, or remove the event") \
    X(346, WAR3_EVENT_NAME, NOTE, \
      "the name of an event is not SND, SPL, FPT, UBR or SPN, one letter and an id of four characters", \
      "correct the name") \
    X(347, WAR3_CAMERA, NOTE, "there is a portrait camera but no Portrait sequence; the game shows Stand", \
      "add a sequence Portrait, or accept it") \
    X(348, WAR3_NAME, WARNING, "a name or path fills its field without a terminating NUL", \
      "shorten a name to 79 bytes, a path to 259; 'sinew check --target war3 --fix' does it") \
    X(349, WAR3_SHAPE, WARNING, \
      "a collision shape does not have two corners (box) or a centre and a radius (sphere)", \
      "export the collision shape again") \
    X(350, WAR3_UNUSED, NOTE, "no vertex is attached to a bone", \
      "make the bone a helper, or accept it") \
    \
    X(351, MDL_WORD, WARNING, "a word is unexpected; it was skipped with its value", \
      "correct the spelling of the word, or remove it") \
    X(352, MDL_NUMBER, WARNING, "a number in the text is damaged; it was read as 0", \
      "correct the number") \
    X(353, MDL_LIST, WARNING, "a list of numbers does not have the length that its block needs", \
      "add or remove numbers") \
    X(354, MDL_COUNT, NOTE, "the stated number of entries of a block is wrong; the actual entries are used", \
      "correct the count") \
    X(355, MDL_TRACK, WARNING, "the keys of a track do not fit its interpolation", \
      "add InTan and OutTan to each key, or remove them, to fit the interpolation") \
    X(356, MDL_ID, WARNING, "a node has no id; it got the next free one", \
      "add an ObjectId") \
    X(357, MDL_TEXT, WARNING, "a name or path is longer than the format allows; it was truncated", \
      "shorten the text") \
    X(358, WAR3_EXTENT_BOX, NOTE, \
      "the model is larger than its extent in a sequence; the game hides it while it is still in view", \
      "compute the extents again; converting the file with 'sinew convert --target war3' does it") \
    \
    X(401, W3D_SIZE, WARNING, "a chunk's size differs from its content or exceeds the file; the content was used", \
      "export the file again, or copy it again if it was truncated") \
    X(402, W3D_LEFTOVER, NOTE, "extra bytes after a chunk or the file; kept when writing, not used", \
      "none needed") \
    X(403, W3D_DEPTH, WARNING, "chunks are nested too deeply; kept when writing, not used", \
      "export the file again") \
    X(404, W3D_UNKNOWN, NOTE, "an unknown chunk; kept when writing, not used", \
      "none needed; check that the model looks right") \
    X(405, W3D_CHUNK, WARNING, "a chunk is missing, duplicate or too short; kept when writing, not used", \
      "export the file again") \
    X(406, W3D_COUNT, WARNING, \
      "an array has the wrong length; it was ignored, or its first element is used for all", \
      "export the mesh again; the path names the array") \
    X(407, W3D_CHANNEL, WARNING, "an animation channel is not usable; kept when writing, not used", \
      "export the animation again; the path names the channel") \
    X(408, W3D_SKELETON, WARNING, "the hierarchy of a skin was not found; the skin cannot be shown", \
      "put the file of the hierarchy beside the model, or use --search, --archive or --hierarchy") \
    X(409, W3D_BOX, WARNING, \
      "a skin posed by its hierarchy does not match its box; the hierarchy may be the wrong one", \
      "choose another hierarchy with --hierarchy, if the model looks wrong") \
    X(410, W3D_ANIMATION, WARNING, \
      "an animation is for another hierarchy; it was left out or matched by pivot numbers", \
      "leave the file out, or choose its hierarchy with --hierarchy") \
    X(411, SAGE_NAME, WARNING, \
      "a name fills its field without a terminating NUL; the game reads on into the next field", \
      "shorten it to 15 bytes; 'sinew check --target generals --fix' does it if no other file uses it") \
    X(412, SAGE_BONE_TWICE, NOTE, "two pivots have the same name; the game finds only the first", \
      "rename one of the bones in the modelling program") \
    X(413, SAGE_FILE_NAME, NOTE, \
      "no object in the file has the name of the file; to find NAME, the game opens NAME.w3d", \
      "rename the file, or the container, hierarchy or animation") \
    X(414, SAGE_HEADER_FIRST, WARNING, "the header is not the first chunk of an object; the game does not load it", \
      "move the header; 'sinew check --target generals --fix' does it") \
    X(415, SAGE_VERSION, NOTE, "an object has a version that the files of the game never have", \
      "export the file again; sinew convert FILE -o OUT.w3d --target generals or bfme does it") \
    X(416, SAGE_ROOT, WARNING, "pivot 0 must be the only pivot without a parent; otherwise the game crashes", \
      "make the other roots children of pivot 0; 'sinew check --target generals --fix' does it") \
    X(417, SAGE_ROOT_PLACE, NOTE, \
      "pivot 0 is not called ROOTTRANSFORM, or it is moved or rotated; the game places it elsewhere", \
      "move its children instead; 'sinew check --target generals --fix' removes the motion, which has no effect") \
    X(418, SAGE_PARENT, WARNING, "the parent of a pivot does not come before it, or does not exist", \
      "export the hierarchy again with parents first") \
    X(419, SAGE_LOD_COUNT, WARNING, \
      "an HLOD does not have the stated number of levels of detail, or they do not directly follow its header", \
      "correct the count and the order; 'sinew check --target generals --fix' does it") \
    X(420, SAGE_LOD_SIZE, WARNING, \
      "the screen sizes of levels of detail do not increase from coarse to fine, or the finest has a limit", \
      "sort the levels; 'sinew check --target generals --fix' removes the limit of the finest") \
    X(421, SAGE_OBJECT_BONE, WARNING, \
      "a skin is not attached to bone 0, or an object is attached to a bone that does not exist", \
      "set the bone to 0; 'sinew check --target generals --fix' does it") \
    X(422, SAGE_TWO_BONES, WARNING, "vertices follow two bones; Generals reads only the first", \
      "bind each vertex to one bone; sinew convert --target generals does it") \
    X(423, SAGE_BFME_ONLY, WARNING, \
      "only The Battle for Middle-earth reads this content; Generals shows the model without it", \
      "convert the model: sinew convert FILE -o OUT.w3d --target generals") \
    X(424, SAGE_WEIGHTS, WARNING, "the two weights of a vertex do not sum to 100, or the second position is missing", \
      "export the skin again; sinew convert --target bfme does it") \
    X(425, SAGE_VERTICES, WARNING, "a mesh has more vertices than 16-bit indices can address", \
      "split the mesh; sinew convert --target generals does it") \
    X(426, SAGE_PASSES, WARNING, "a mesh has more than 4 passes, or a pass more than 2 texture stages", \
      "use fewer passes; sinew convert --target generals does it") \
    X(427, SAGE_MATERIAL_INFO, WARNING, "MATERIAL_INFO is missing, or its counts do not match the mesh", \
      "correct the counts; 'sinew check --target generals --fix' does it") \
    X(428, SAGE_BLENDED_PASSES, WARNING, \
      "the first of several passes of a mesh is transparent; the game cannot sort the mesh", \
      "make the first pass opaque, or use one pass") \
    X(429, SAGE_BOUNDS, WARNING, \
      "the box or sphere of a mesh does not contain its vertices; the game may not draw the mesh", \
      "compute the bounds; 'sinew check --target generals --fix' does it where the hierarchy is in the same file") \
    X(430, SAGE_CHUNKS, NOTE, "chunks that all exporters of the games write are missing: shade indices or fixups", \
      "export the file again; 'sinew check --target generals --fix' does it") \
    X(431, SAGE_REFERENCE, WARNING, \
      "an index refers to a shader, texture or vertex material that does not exist; the game reads past the end", \
      "correct the number, or add the element") \
    X(432, SAGE_SKIN_TYPE, NOTE, \
      "a mesh has bones per vertex but is not marked as a skin, or is marked as a skin but has none", \
      "correct the geometry type; 'sinew check --target generals --fix' does it") \
    X(433, SAGE_CHANNEL, WARNING, \
      "a channel of an animation has no effect: its pivot does not exist, or the game does not read its kind", \
      "remove the channel, or choose the pivot") \
    X(434, SAGE_VISIBILITY, WARNING, \
      "the value of a visibility channel outside its frames is neither 0 nor 1; the game hides the object there", \
      "set it to 1; 'sinew check --target generals --fix' does it") \
    X(435, SAGE_ANIMATION, WARNING, \
      "an animation has no frames, no frame rate or no hierarchy; the game does not load it", \
      "correct the header of the animation") \
    X(436, SAGE_TEXTURE, WARNING, \
      "the name of a texture has a folder or does not end in .tga or .dds; the game does not find it", \
      "use the file name alone; 'sinew check --target generals --fix' removes the folder") \
    X(437, SAGE_TANGENTS, NOTE, "a material has a normal map, but the mesh has no tangents and bitangents", \
      "export the mesh again with tangents; sinew convert --target bfme does it") \
    X(438, SAGE_TREE, WARNING, \
      "the collision tree of a mesh is damaged, or refers to triangles that the mesh does not have", \
      "remove the tree: the game then builds one; 'sinew check --target generals --fix' does it") \
    \
    X(501, LEVEL5_SIZE, WARNING, "a size or offset differs from the actual data; the data was used", \
      "copy the file again from the disc, if the model looks wrong") \
    X(502, LEVEL5_SECTION, WARNING, "an array of a mesh exceeds the mesh; it was ignored", \
      "copy the file again from the disc, if the model looks wrong") \
    X(503, LEVEL5_FACES, NOTE, \
      "faces are in an unknown format, as in collision and shadow meshes; kept when writing, not shown", \
      "none needed") \
    X(504, LEVEL5_LEFTOVER, NOTE, "extra bytes at the end of a file; kept when writing, not used", \
      "none needed") \
    X(505, LEVEL5_TEXT, WARNING, \
      "an unterminated quote or comment in a configuration; it ends with its line or the file", \
      "close the quote or comment") \
    X(506, LEVEL5_DQ8, NOTE, \
      "a Dragon Quest VIII file; support is experimental and based on one public description", \
      "compare the result with the game") \
    \
    X(521, LEVEL5_ALONE, NOTE, "a part of a model was loaded without the model; its content is listed in the extras", \
      "load the .mds or the pack instead") \
    X(522, LEVEL5_MODELS, NOTE, "a pack holds several models; the first is shown, all are listed in the extras", \
      "extract the pack with 'sinew extract' to load the other models") \
    X(523, LEVEL5_BINDS, WARNING, \
      "bind matrices do not match the node count; nodes without one use their rest pose", \
      "load the .bbp that belongs to the .mds") \
    X(524, LEVEL5_RIGID, NOTE, \
      "a mesh has weights, but the configuration does not list it as skinned; it is rigid, as in the game", \
      "none needed; add the mesh to the configuration if it should bend") \
    X(525, LEVEL5_AVERAGED, NOTE, "weights are of an older kind whose meaning is uncertain; they were normalised", \
      "compare the result with the game") \
    X(526, LEVEL5_INDEX, WARNING, \
      "faces refer to missing normals, texture coordinates or colours; these were left out", \
      "export the mesh again, if it looks wrong") \
    X(527, LEVEL5_TRACK, NOTE, "a track of unknown type; kept when writing, not used", \
      "none needed") \
    X(528, LEVEL5_MATRIX, NOTE, \
      "a clip scales a sheared node, or moves one that another rotates; the result is approximate", \
      "compare the result with the game") \
    X(529, LEVEL5_SKIN_MOVES, NOTE, \
      "a clip moves a skinned mesh whose bones are elsewhere in the tree; the mesh follows only the bones", \
      "compare the result with the game") \
    X(530, DARK_CLOUD_FORMAT, WARNING, \
      "the file is for another Level-5 game, or has records of a size that the game does not read", \
      "convert the model: sinew convert FILE -o OUT.chr --target dark-cloud or dark-cloud-2") \
    X(531, DARK_CLOUD_LAYOUT, WARNING, "offsets, sizes or the end marker are not as the game expects", \
      "rewrite the file; 'sinew check --target dark-cloud --fix' does it") \
    X(532, DARK_CLOUD_NAME, WARNING, \
      "a name fills its field without a terminating NUL; the game reads on into the next field", \
      "shorten it; 'sinew check --target dark-cloud --fix' does it for nodes without a mesh") \
    X(533, DARK_CLOUD_NAME_TWICE, NOTE, \
      "two nodes, pictures or files have the same name; the game finds only the first", \
      "rename one of them") \
    X(534, DARK_CLOUD_ENCODING, WARNING, "a name is not Shift-JIS", \
      "rename the element with characters of Shift-JIS") \
    X(535, DARK_CLOUD_ROOT, WARNING, \
      "node 0 is not the only node without a parent; the game draws only what is below node 0", \
      "put the other nodes below node 0") \
    X(536, DARK_CLOUD_PARENT, WARNING, "the parent of a node does not come before it, or does not exist", \
      "export the model again with parents first") \
    X(537, DARK_CLOUD_VERTICES, WARNING, \
      "a skinned mesh has more vertices than the 3000 that Dark Cloud has room for", \
      "split the mesh") \
    X(538, DARK_CLOUD_FACES, WARNING, "faces are not stored as the game expects", \
      "convert the model: sinew convert FILE -o OUT.chr --target dark-cloud or dark-cloud-2") \
    X(539, DARK_CLOUD_MATERIAL, WARNING, "faces refer to a material that the mesh does not have", \
      "correct the material of the faces") \
    X(540, DARK_CLOUD_TRACK, WARNING, \
      "a track is for a node, mesh, vertex or bone that does not exist, or of a kind that the game skips", \
      "remove the track, or restore the node") \
    X(541, DARK_CLOUD_KEY_ORDER, WARNING, "keys are not sorted by frame; the game uses the wrong key", \
      "sort the keys") \
    X(542, DARK_CLOUD_FRAME, NOTE, "keys or clips start before frame 1, where the game's own timelines start", \
      "move the keys so that they start at frame 1") \
    X(543, DARK_CLOUD_CHAIN, WARNING, \
      "weight tracks are missing: Dark Cloud reads the mesh's parent first, and each bone's parent before the bone", \
      "add empty tracks; 'sinew check --target dark-cloud --fix' does it in a pack") \
    X(544, DARK_CLOUD_WEIGHTS, NOTE, \
      "the weights of vertices do not sum to 100; the game moves the rest with another bone", \
      "normalise the weights") \
    X(545, DARK_CLOUD_INFLUENCES, WARNING, \
      "a vertex has more than 4 bones, or a mesh has more than 32; Dark Cloud 2 drops the rest", \
      "limit the bones; sinew convert --target dark-cloud-2 does it") \
    X(546, DARK_CLOUD_BINDS, WARNING, \
      "the number of bind matrices is not the number of nodes, or a matrix is scaled or cannot be inverted", \
      "write one matrix for each node; 'sinew check --target dark-cloud --fix' adds missing ones in a pack") \
    X(547, DARK_CLOUD_SKIN_LIST, WARNING, \
      "a mesh with weights is not listed in VERTEX_ANIME or ALLOC_DBUFF; the game does not bend it", \
      "list the mesh in the configuration, or remove its weights") \
    X(548, DARK_CLOUD_CONFIG, WARNING, \
      "a configuration is not written as the game expects; the message gives the reason", \
      "correct the configuration") \
    X(549, DARK_CLOUD_CLIP, WARNING, "a clip ends before it starts, or has no speed", \
      "correct the KEY line") \
    X(550, DARK_CLOUD_WEIGHT_FILE, WARNING, \
      "the weights are not in the file with the model's name, the only weight file that Dark Cloud 2 reads", \
      "rename the .wgt file") \
    X(551, DARK_CLOUD_IMAGE, WARNING, \
      "a picture or archive of pictures is not as the game expects; the message gives the reason", \
      "save the picture again; sinew convert --target dark-cloud or dark-cloud-2 does it")
// clang-format on
