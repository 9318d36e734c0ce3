#include "app/commands/info_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/interrupt.h"
#include "core/log.h"
#include "core/machine.h"
#include "core/spelling.h"
#include "io/splats/scene_format.h"
#include "model/moving/sequence_scene.h"

namespace mote {
namespace {

/// Reads the whole frame, so that a damaged one is detected.
FrameFacts measure_frame(const SplatSequence& sequence, std::size_t frame,
                         const FrameStore::Read& read) {
  const SplatCloud cloud = read(frame, {});
  const std::filesystem::path& path = sequence.frames[frame];
  const std::string place =
      sequence.in_one_file ? fmt::format(", frame {}", frame + 1) : std::string();
  for (const std::string& warning : cloud.warnings) {
    log_warning("{}{}: {}", path.string(), place, warning);
  }
  return {.file = path.filename().string() + place,
          .splats = cloud.count(),
          .memory_bytes = cloud.memory_bytes(),
          .sh_degree = cloud.sh_degree()};
}

nlohmann::json frame_json(const FrameFacts& frame) {
  return {{"file", frame.file},
          {"splats", frame.splats},
          {"sh_degree", frame.sh_degree},
          {"memory_bytes", frame.memory_bytes}};
}

std::string frame_text(const FrameFacts& frame) {
  return fmt::format("{}: {}, SH degree {}, {} in memory", frame.file,
                     number_of(frame.splats, "splat"), frame.sh_degree,
                     bytes_text(frame.memory_bytes));
}

}  // namespace

SequenceFacts measure_sequence(const SplatSequence& sequence, double frames_per_second,
                               const GlobalOptions& globals) {
  SequenceFacts facts;
  facts.folder = sequence.folder.string();
  facts.frames = sequence.frames.size();
  facts.frames_per_second = frames_per_second;
  facts.in_one_file = sequence.in_one_file;
  const FrameStore::Read read = frame_reader(sequence);
  SequenceScene scene(sequence, nullptr, read);
  scene.set_frames_per_second(frames_per_second);
  facts.end_s = scene.range().end_s;
  for (const std::filesystem::path& frame : sequence.frames) {
    std::error_code fault;
    const std::uint64_t bytes = std::filesystem::file_size(frame, fault);
    if (!fault) facts.file_bytes += bytes;
    if (sequence.in_one_file) break;
  }
  Progress progress(globals.progress_mode(), "reading frames", static_cast<double>(facts.frames),
                    "frames");
  for (std::size_t i = 0; i < facts.frames; ++i) {
    throw_if_interrupted();
    const FrameFacts frame = measure_frame(sequence, i, read);
    if (i == 0) facts.first = frame;
    facts.last = frame;
    facts.splats_least = i == 0 ? frame.splats : std::min(facts.splats_least, frame.splats);
    facts.splats_most = std::max(facts.splats_most, frame.splats);
    progress.set(static_cast<double>(i + 1));
  }
  facts.format = probe_scene_format(InputFile(sequence.frames.front())).name;
  return facts;
}

nlohmann::json sequence_info_json(const SequenceFacts& facts) {
  return {{"folder", facts.folder},
          {"format", facts.format},
          {"frames", facts.frames},
          {"fps", facts.frames_per_second},
          {"end_s", facts.end_s},
          {"file_bytes", facts.file_bytes},
          {"splats", {{"least", facts.splats_least}, {"most", facts.splats_most}}},
          {"first", frame_json(facts.first)},
          {"last", frame_json(facts.last)}};
}

std::string sequence_info_text(const SequenceFacts& facts) {
  std::string text = fmt::format("{}\n", facts.folder);
  text += fmt::format("  a moving scene, {}\n",
                      facts.in_one_file ? "all frames in one file" : "one frame per file");
  text += fmt::format("  frames     {}\n", facts.frames);
  text += fmt::format("  format     {}, {}\n", facts.format, bytes_text(facts.file_bytes));
  text += fmt::format("  time       0 to {:.6g} s at {:.6g} frames per second\n", facts.end_s,
                      facts.frames_per_second);
  text += fmt::format("  splats     {} to {} per frame\n", facts.splats_least, facts.splats_most);
  text += fmt::format("  first      {}\n", frame_text(facts.first));
  text += fmt::format("  last       {}\n", frame_text(facts.last));
  return text;
}

}  // namespace mote
