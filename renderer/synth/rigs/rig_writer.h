#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "core/parallel.h"
#include "synth/rigs/rig_layout.h"
#include "synth/scene.h"

namespace mote::synth {

/// The cameras for which exact data is written.
enum class Truth { none, test, all };

struct RigRender {
  int samples = 4;      // paths per pixel
  int points = 500000;  // in all frames together, as many as dense matching finds
  Truth truth = Truth::test;
  bool fresh_noise = false;  // other sample points in each frame; else a pixel keeps its own
  int crf = 10;              // of videos
};

struct RigSummary {
  std::size_t triangles = 0, points = 0;
  std::int64_t pictures = 0;
};

/// Renders a moving scene as filmed by a rig into `folder`, which it makes:
///   the pictures and cameras in the form of the layout
///   points.ply        surface points that training cameras see: position, colour, time_s, velocity
///   rig.json          clocks, colour matrices and lenses of the cameras
///   tracks.npy        positions of 1000 moving surface points in each frame [frames][points][3]
///   clean_plates/CAMERA.png      the still parts of the scene, without lens noise
/// and for the cameras of RigRender::truth, in NAME/CAMERA/FRAME:
///   depth (EXR: Z), normals (X, Y, Z), object_masks, dynamic_masks (PNG: 255 where the pixel's
///   surface moves at some time), flow (EXR: X, Y in px to the next frame, V 1 where it is
///   defined), scene_flow (X, Y, Z in world/s, V)
/// The light that surfaces reflect onto each other is gathered once a frame, so that cameras with
/// clock offsets share it. rig.json says `complete` once all is written. `progress` gets the number
/// of pictures done. Throws Error where a file cannot be written or one of another program would be
/// replaced, UsageError for lenses that the layout does not have, and Interrupted.
RigSummary write_rig(const SceneEntry& scene, const RigPlan& plan, const RigRender& render,
                     const RigLayoutEntry& layout, const std::filesystem::path& folder,
                     ThreadPool& threads, const std::function<void(double)>& progress);

}  // namespace mote::synth
