#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "io/datasets/posed_images.h"

namespace mote {

/// The folder for the frames of a dataset's videos: DATASET/mote_frames, or a folder of its own in
/// `named` where that is not empty.
std::filesystem::path frame_cache(const std::filesystem::path& dataset,
                                  const std::filesystem::path& named);

/// Number of videos that are decoded at a time, and of threads for each.
struct DecodingPlan {
  int videos = 1, threads = 1;
};
/// As many videos as there are CPUs, and as the memory, in bytes, has space for decoders of frames
/// of this size; at least one with one thread. CPUs that are left are threads of each decoder.
DecodingPlan decoding_plan(std::size_t videos, int width, int height, std::uint64_t memory_bytes,
                           int cpus);

/// Unpacks the frames of videos that are among the images into `cache`, as a JPEG for each and a
/// list of them, and sets PosedImage::image. Videos are decoded from their start to the last of
/// these frames, several at a time, as decoding_plan() says, since seeking for single frames would
/// decode most of them many times. Videos of which these frames were unpacked before and that have
/// not changed since are not decoded again. `memory_bytes` bounds the decoders. Frames that a video
/// does not contain after all are removed, with a warning that names the video. `progress` gets the
/// finished share, called by one thread at a time, and is not called if nothing is to be done.
/// Throws Error where a video cannot be decoded or the cache cannot be written, and Interrupted.
void unpack_videos(PosedImages& posed, const std::filesystem::path& cache,
                   std::uint64_t memory_bytes, const std::function<void(double)>& progress = {});

}  // namespace mote
