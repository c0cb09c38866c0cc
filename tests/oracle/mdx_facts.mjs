// What two other readers found in a model, in the words of print_mdx. Only what they know: keys that a reader does not have
// are left out. Where docs of the format say that a reader is wrong, the fact is left out too, with the reason.

const list = (numbers) => (numbers === null || numbers === undefined ? undefined : Array.from(numbers));
const flat = (vectors) => vectors.flatMap((vector) => Array.from(vector));

// ---- mdx-m3-viewer -------------------------------------------------------------------------------------------------

const viewerExtent = (extent) => [extent.boundsRadius, ...extent.min, ...extent.max];

function viewerTracks(object) {
    const tracks = {};
    for (const track of object.animations) {
        const value = (values, i) => Array.from(values[i]);
        tracks[track.name] = {
            line: track.interpolationType,
            global: track.globalSequenceId,
            keys: track.frames.map((time, i) => (track.interpolationType > 1
                ? [time, value(track.values, i), value(track.inTans, i), value(track.outTans, i)]
                : [time, value(track.values, i)])),
        };
    }
    return tracks;
}

const viewerNode = (node) => ({ Name: node.name, ObjectId: node.objectId, Parent: node.parentId, Flags: node.flags, ...viewerTracks(node) });

// Below a track its textureId is -1 where the text gives none.
function viewerLayer(layer, version) {
    const isMoved = layer.animations.some((track) => track.name === 'KMTF');
    return {
        Filter: layer.filterMode, Flags: layer.flags, TextureID: isMoved ? undefined : layer.textureId, TVertexAnimId: layer.textureAnimationId,
        CoordId: layer.coordId, Alpha: layer.alpha,
        ...(version > 800 && {
            EmissiveGain: layer.emissiveGain, FresnelColor: list(layer.fresnelColor), FresnelOpacity: layer.fresnelOpacity,
            FresnelTeamColor: layer.fresnelTeamColor,
        }),
        ...viewerTracks(layer),
    };
}

function viewerGeoset(geoset, version) {
    return {
        Vertices: list(geoset.vertices), Normals: list(geoset.normals), FaceTypes: list(geoset.faceTypeGroups),
        FaceCounts: list(geoset.faceGroups), Faces: list(geoset.faces), VertexGroup: list(geoset.vertexGroups),
        GroupSizes: list(geoset.matrixGroups), Matrices: list(geoset.matrixIndices), MaterialID: geoset.materialId,
        SelectionGroup: geoset.selectionGroup, Flags: geoset.selectionFlags, Extent: viewerExtent(geoset.extent),
        Extents: geoset.sequenceExtents.flatMap(viewerExtent), TVertices: geoset.uvSets.map(list),
        ...(version > 800 && { LevelOfDetail: geoset.lod, Name: geoset.lodName, Tangents: list(geoset.tangents), SkinWeights: list(geoset.skin) }),
    };
}

// It calls the first of the two numbers Width, in the binary form and for KP2N: there the names are exchanged.
function viewerEmitter2(emitter, isText) {
    const node = viewerNode(emitter);
    if (isText) {
        [node.KP2N, node.KP2W] = [node.KP2W, node.KP2N];
        if (!node.KP2N) delete node.KP2N;
        if (!node.KP2W) delete node.KP2W;
        delete node.Flags;          // it does not mark them as particle emitters (0x1000)
    }
    return {
        ...node, Speed: emitter.speed, Variation: emitter.variation, Latitude: emitter.latitude, Gravity: emitter.gravity,
        LifeSpan: emitter.lifeSpan, EmissionRate: emitter.emissionRate,
        Length: isText ? emitter.length : emitter.width, Width: isText ? emitter.width : emitter.length,
        Filter: emitter.filterMode, Rows: emitter.rows, Columns: emitter.columns, HeadOrTail: emitter.headOrTail,
        TailLength: emitter.tailLength, Time: emitter.timeMiddle, SegmentColor: emitter.segmentColors.map(list),
        Alpha: list(emitter.segmentAlphas), ParticleScaling: list(emitter.segmentScaling),
        LifeSpanUVAnim: list(emitter.headIntervals[0]), DecayUVAnim: list(emitter.headIntervals[1]),
        TailUVAnim: list(emitter.tailIntervals[0]), TailDecayUVAnim: list(emitter.tailIntervals[1]), TextureID: emitter.textureId,
        SquirtCount: emitter.squirt, PriorityPlane: emitter.priorityPlane, ReplaceableId: emitter.replaceableId,
    };
}

function viewerShape(shape) {
    const points = shape.type === 2 ? [shape.vertices[0]] : shape.vertices;
    return { ...viewerNode(shape), ShapeType: shape.type, Values: [...flat(points), ...(shape.type >= 2 ? [shape.boundsRadius] : [])] };
}

export function viewerFacts(model, isText) {
    const { version } = model;
    return {
        Version: version,
        Model: { Name: model.name, AnimationFile: model.animationFile, Extent: viewerExtent(model.extent), BlendTime: model.blendTime },
        Anim: model.sequences.map((s) => ({
            Name: s.name, Start: s.interval[0], End: s.interval[1], MoveSpeed: s.moveSpeed, Flags: s.nonLooping, Rarity: s.rarity,
            SyncPoint: s.syncPoint, Extent: viewerExtent(s.extent),
        })),
        GlobalSequences: model.globalSequences,
        Bitmap: model.textures.map((t) => ({ Image: t.path, ReplaceableId: t.replaceableId, Flags: t.wrapMode })),
        Material: model.materials.map((m) => ({
            PriorityPlane: m.priorityPlane, Flags: m.flags, ...(version > 800 && { Shader: m.shader }),
            Layers: m.layers.map((layer) => viewerLayer(layer, version)),
        })),
        TVertexAnim: model.textureAnimations.map(viewerTracks),
        Geoset: model.geosets.map((geoset) => viewerGeoset(geoset, version)),
        GeosetAnim: model.geosetAnimations.map((a) => ({
            Alpha: a.alpha, Flags: a.flags, Color: list(a.color), GeosetId: a.geosetId, ...viewerTracks(a),
        })),
        Bone: model.bones.map((b) => ({ ...viewerNode(b), GeosetId: b.geosetId, GeosetAnimId: b.geosetAnimationId })),
        Helper: model.helpers.map(viewerNode),
        Light: model.lights.map((l) => ({
            ...viewerNode(l), LightType: l.type, AttenuationStart: l.attenuation[0], AttenuationEnd: l.attenuation[1], Color: list(l.color),
            Intensity: l.intensity, AmbColor: list(l.ambientColor), AmbIntensity: l.ambientIntensity,
        })),
        Attachment: model.attachments.map((a) => ({ ...viewerNode(a), Path: a.path, AttachmentID: a.attachmentId })),
        PivotPoints: flat(model.pivotPoints),
        ParticleEmitter: model.particleEmitters.map((e) => ({
            ...viewerNode(e), EmissionRate: e.emissionRate, Gravity: e.gravity, Longitude: e.longitude, Latitude: e.latitude, Path: e.path,
            LifeSpan: e.lifeSpan, InitVelocity: e.speed,
        })),
        ParticleEmitter2: model.particleEmitters2.map((emitter) => viewerEmitter2(emitter, isText)),
        ParticleEmitterPopcorn: model.particleEmittersPopcorn.map((e) => ({
            ...viewerNode(e), LifeSpan: e.lifeSpan, EmissionRate: e.emissionRate, Speed: e.speed, Color: list(e.color), Alpha: e.alpha,
            ReplaceableId: e.replaceableId, Path: e.path, AnimVisibilityGuide: e.animationVisiblityGuide,
        })),
        RibbonEmitter: model.ribbonEmitters.map((r) => ({
            ...viewerNode(r), HeightAbove: r.heightAbove, HeightBelow: r.heightBelow, Alpha: r.alpha, Color: list(r.color), LifeSpan: r.lifeSpan,
            TextureSlot: r.textureSlot, EmissionRate: r.emissionRate, Rows: r.rows, Columns: r.columns, MaterialID: r.materialId, Gravity: r.gravity,
        })),
        Camera: model.cameras.map((c) => ({
            Name: c.name, Position: list(c.position), FieldOfView: c.fieldOfView, FarClip: c.farClippingPlane, NearClip: c.nearClippingPlane,
            Target: list(c.targetPosition), ...viewerTracks(c),
        })),
        EventObject: model.eventObjects.map((e) => ({ ...viewerNode(e), GlobalSeqId: e.globalSequenceId, EventTrack: list(e.tracks) })),
        CollisionShape: model.collisionShapes.map(viewerShape),
        FaceFX: model.faceEffects.map((f) => ({ Name: f.type, Path: f.path })),
        BindPose: flat(model.bindPose),
    };
}

// ---- war3-model ----------------------------------------------------------------------------------------------------

const isTrack = (value) => value !== null && typeof value === 'object' && 'Keys' in value;

// A value of it is a number, a vector or a track. `isTurned`: its MDL reader turns the keys of a colour as it turns the field.
function war3Value(out, word, tag, value, isTurned = false) {
    if (value === null || value === undefined) return;
    if (!isTrack(value)) {
        if (word) out[word] = typeof value === 'object' ? list(value) : value;
        return;
    }
    const turn = (vector) => (isTurned ? list(vector).reverse() : list(vector));
    out[tag] = {
        line: value.LineType,
        global: value.GlobalSeqId ?? -1,
        keys: value.Keys.map((key) => [key.Frame, turn(key.Vector), ...(key.InTan ? [turn(key.InTan), turn(key.OutTan)] : [])]),
    };
}

// DontInherit's bits 2 and 4 are exchanged in it: in the binary form that shows only in its names, in text in the number.
function war3Node(node, isText) {
    let flags = node.Flags;
    if (isText) flags = (flags & ~6) | ((flags & 2) << 1) | ((flags & 4) >> 1);
    const out = { Name: node.Name, ObjectId: node.ObjectId ?? undefined, Parent: node.Parent ?? -1, Flags: flags };
    war3Value(out, null, 'KGTR', node.Translation);
    war3Value(out, null, 'KGRT', node.Rotation);
    war3Value(out, null, 'KGSC', node.Scaling);
    return out;
}

const war3Extent = (of) => (of.MinimumExtent && of.MaximumExtent ? [of.BoundsRadius ?? 0, ...of.MinimumExtent, ...of.MaximumExtent] : undefined);

function war3Layer(layer, version) {
    const out = { Filter: layer.FilterMode ?? 0, Flags: layer.Shading ?? 0, TVertexAnimId: layer.TVertexAnimId ?? -1, CoordId: layer.CoordId ?? 0 };
    if (version < 1100) war3Value(out, 'TextureID', 'KMTF', layer.TextureID);
    war3Value(out, 'Alpha', 'KMTA', layer.Alpha);
    war3Value(out, 'EmissiveGain', 'KMTE', layer.EmissiveGain);
    war3Value(out, 'FresnelColor', 'KFC3', layer.FresnelColor);
    war3Value(out, 'FresnelOpacity', 'KFCA', layer.FresnelOpacity);
    war3Value(out, 'FresnelTeamColor', 'KFTC', layer.FresnelTeamColor);
    return out;
}

function war3Geoset(geoset) {
    const groups = geoset.Groups ?? [];
    return {
        Vertices: list(geoset.Vertices), Normals: list(geoset.Normals), Faces: list(geoset.Faces), VertexGroup: list(geoset.VertexGroup),
        GroupSizes: groups.map((group) => group.length), Matrices: groups.flat(), MaterialID: geoset.MaterialID ?? undefined,
        SelectionGroup: geoset.SelectionGroup ?? undefined, Extent: war3Extent(geoset), TVertices: geoset.TVertices.map(list),
        LevelOfDetail: geoset.LevelOfDetail, Name: geoset.Name, Tangents: list(geoset.Tangents), SkinWeights: list(geoset.SkinWeights),
    };
}

function war3GeosetAnim(anim, isText) {
    const out = { GeosetId: anim.GeosetId ?? -1 };
    if (!isText) out.Flags = anim.Flags;
    war3Value(out, 'Alpha', 'KGAO', anim.Alpha);
    war3Value(out, 'Color', 'KGAC', anim.Color, isText);
    return out;
}

// KLAS and KLAE it reads as integers.
function war3Light(light, isText) {
    const out = { ...war3Node(light, isText), LightType: light.LightType };
    if (!isTrack(light.AttenuationStart)) war3Value(out, 'AttenuationStart', null, light.AttenuationStart);
    if (!isTrack(light.AttenuationEnd)) war3Value(out, 'AttenuationEnd', null, light.AttenuationEnd);
    war3Value(out, 'Color', 'KLAC', light.Color, isText);
    war3Value(out, 'Intensity', 'KLAI', light.Intensity);
    war3Value(out, 'AmbColor', 'KLBC', light.AmbColor, isText);
    war3Value(out, 'AmbIntensity', 'KLBI', light.AmbIntensity);
    war3Value(out, null, 'KLAV', light.Visibility);
    return out;
}

// In text it leaves out the bit that marks a particle emitter, as soon as one of the two words is there.
function war3Emitter(emitter, isText) {
    const out = { ...war3Node(emitter, isText), Path: emitter.Path };
    if (isText) out.Flags |= 0x1000;
    const words = { EmissionRate: 'KPEE', Gravity: 'KPEG', Longitude: 'KPLN', Latitude: 'KPLT', LifeSpan: 'KPEL', InitVelocity: 'KPES', Visibility: 'KPEV' };
    for (const [word, tag] of Object.entries(words)) war3Value(out, word === 'Visibility' ? null : word, tag, emitter[word]);
    return out;
}

// Of the binary form it takes the first number for the width, though KP2N is the length for it too: a mix-up.
function war3Emitter2(emitter, isText) {
    const out = war3Node(emitter, isText);
    const still = ['LifeSpan', 'Rows', 'Columns', 'TailLength', 'Time', 'ParticleScaling', 'LifeSpanUVAnim', 'DecayUVAnim', 'TailUVAnim',
        'TailDecayUVAnim', 'ReplaceableId', 'PriorityPlane', 'Alpha', 'TextureID'];
    const moving = { Speed: 'KP2S', Variation: 'KP2R', Latitude: 'KP2L', Gravity: 'KP2G', EmissionRate: 'KP2E', Visibility: 'KP2V' };
    for (const word of still) war3Value(out, word, null, emitter[word]);
    for (const [word, tag] of Object.entries(moving)) war3Value(out, word === 'Visibility' ? null : word, tag, emitter[word]);
    const named = isText ? { Width: emitter.Width, Length: emitter.Length } : { Width: emitter.Length, Length: emitter.Width };
    if (!isTrack(named.Width)) war3Value(out, 'Width', null, named.Width);
    if (!isTrack(named.Length)) war3Value(out, 'Length', null, named.Length);
    if (emitter.SegmentColor) out.SegmentColor = emitter.SegmentColor.map(list);
    out.Filter = emitter.FilterMode ?? 0;
    if (emitter.FrameFlags) out.HeadOrTail = emitter.FrameFlags - 1;
    return out;
}

function war3Ribbon(ribbon, isText) {
    const out = war3Node(ribbon, isText);
    const moving = { HeightAbove: 'KRHA', HeightBelow: 'KRHB', Alpha: 'KRAL', TextureSlot: 'KRTX', Visibility: 'KRVS' };
    for (const [word, tag] of Object.entries(moving)) war3Value(out, word === 'Visibility' ? null : word, tag, ribbon[word]);
    for (const word of ['Color', 'LifeSpan', 'EmissionRate', 'Rows', 'Columns', 'MaterialID', 'Gravity']) war3Value(out, word, null, ribbon[word]);
    return out;
}

function war3Popcorn(emitter, isText) {
    const out = { ...war3Node(emitter, isText), Path: emitter.Path, AnimVisibilityGuide: emitter.AnimVisibilityGuide };
    const moving = { LifeSpan: 'KPPL', EmissionRate: 'KPPE', Speed: 'KPPS', Color: 'KPPC', Alpha: 'KPPA', Visibility: 'KPPV' };
    for (const [word, tag] of Object.entries(moving)) war3Value(out, word === 'Visibility' ? null : word, tag, emitter[word]);
    return out;
}

function war3Camera(camera) {
    const out = { Name: camera.Name, Position: list(camera.Position), FieldOfView: camera.FieldOfView, FarClip: camera.FarClip, NearClip: camera.NearClip,
        Target: list(camera.TargetPosition) };
    war3Value(out, null, 'KCTR', camera.Translation);
    war3Value(out, null, 'KTTR', camera.TargetTranslation);
    war3Value(out, null, 'KCRL', camera.Rotation);
    return out;
}

// It knows boxes and spheres.
function war3Shape(shape, isText) {
    const radius = shape.Shape === 2 && shape.BoundsRadius !== undefined ? [shape.BoundsRadius] : [];
    return { ...war3Node(shape, isText), ShapeType: shape.Shape, Values: [...list(shape.Vertices), ...radius] };
}

function war3Attachment(attachment, isText) {
    const out = { ...war3Node(attachment, isText), Path: attachment.Path, AttachmentID: attachment.AttachmentID };
    war3Value(out, null, 'KATV', attachment.Visibility);
    return out;
}

function war3TextureAnim(anim) {
    const out = {};
    war3Value(out, null, 'KTAT', anim.Translation);
    war3Value(out, null, 'KTAR', anim.Rotation);
    war3Value(out, null, 'KTAS', anim.Scaling);
    return out;
}

export function war3Facts(model, isText) {
    const version = model.Version;
    const node = (of) => war3Node(of, isText);
    return {
        Version: version,
        Model: { Name: model.Info.Name, Extent: war3Extent(model.Info), BlendTime: model.Info.BlendTime },
        Anim: model.Sequences.map((s) => ({
            Name: s.Name, Start: s.Interval[0], End: s.Interval[1], MoveSpeed: s.MoveSpeed, Flags: Number(s.NonLooping), Rarity: s.Rarity, Extent: war3Extent(s),
        })),
        GlobalSequences: model.GlobalSequences,
        Bitmap: model.Textures.map((t) => ({ Image: t.Image, ReplaceableId: t.ReplaceableId, Flags: t.Flags })),
        Material: model.Materials.map((m) => ({
            PriorityPlane: m.PriorityPlane, Flags: m.RenderMode, Shader: m.Shader, Layers: m.Layers.map((layer) => war3Layer(layer, version)),
        })),
        TVertexAnim: model.TextureAnims.map(war3TextureAnim),
        Geoset: model.Geosets.map(war3Geoset),
        GeosetAnim: model.GeosetAnims.map((anim) => war3GeosetAnim(anim, isText)),
        Bone: model.Bones.map((b) => ({ ...node(b), GeosetId: b.GeosetId ?? -1, GeosetAnimId: b.GeosetAnimId ?? -1 })),
        Helper: model.Helpers.map(node),
        Light: model.Lights.map((light) => war3Light(light, isText)),
        Attachment: model.Attachments.map((a) => war3Attachment(a, isText)),
        PivotPoints: flat(model.PivotPoints),
        ParticleEmitter: model.ParticleEmitters.map((e) => war3Emitter(e, isText)),
        ParticleEmitter2: model.ParticleEmitters2.map((e) => war3Emitter2(e, isText)),
        ParticleEmitterPopcorn: (model.ParticleEmitterPopcorns ?? []).map((e) => war3Popcorn(e, isText)),
        RibbonEmitter: model.RibbonEmitters.map((r) => war3Ribbon(r, isText)),
        Camera: model.Cameras.map(war3Camera),
        EventObject: model.EventObjects.map((e) => ({ ...node(e), EventTrack: list(e.EventTrack) })),
        CollisionShape: model.CollisionShapes.map((s) => war3Shape(s, isText)),
        BindPose: (model.BindPoses ?? []).flatMap((pose) => flat(pose.Matrices)),
    };
}
