#include "app/sequence_info.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "app/scene_loading.h"
#include "core/log.h"
#include "core/machine.h"

namespace mote {
namespace {

FrameFacts facts_of(const LoadedScene& scene, const std::filesystem::path& path) {
  for (const std::string& warning : scene.cloud.warnings) {
    log_warning("{}: {}", path.string(), warning);
  }
  return {.file = path.filename().string(),
          .splats = scene.cloud.count(),
          .memory_bytes = scene.cloud.memory_bytes(),
          .sh_degree = scene.cloud.sh_degree()};
}

nlohmann::json frame_json(const FrameFacts& frame) {
  return {{"file", frame.file},
          {"splats", frame.splats},
          {"sh_degree", frame.sh_degree},
          {"memory_bytes", frame.memory_bytes}};
}

std::string frame_text(const FrameFacts& frame) {
  return fmt::format("{}: {} splats, SH degree {}, {} in memory", frame.file, frame.splats,
                     frame.sh_degree, bytes_text(frame.memory_bytes));
}

}  // namespace

SequenceFacts measure_sequence(const SplatSequence& sequence, double frames_per_second,
                               const GlobalOptions& globals) {
  SequenceFacts facts;
  facts.folder = sequence.folder.string();
  facts.frames = sequence.frames.size();
  facts.frames_per_second = frames_per_second;
  facts.end_s = static_cast<double>(facts.frames - 1) / frames_per_second;
  for (const std::filesystem::path& frame : sequence.frames) {
    std::error_code fault;
    const std::uint64_t bytes = std::filesystem::file_size(frame, fault);
    if (!fault) facts.file_bytes += bytes;
  }
  const LoadedScene first = load_with_progress(sequence.frames.front(), globals);
  facts.format = first.format;
  facts.first = facts_of(first, sequence.frames.front());
  facts.last =
      facts_of(load_with_progress(sequence.frames.back(), globals), sequence.frames.back());
  return facts;
}

nlohmann::json sequence_info_json(const SequenceFacts& facts) {
  return {{"folder", facts.folder},
          {"format", facts.format},
          {"frames", facts.frames},
          {"fps", facts.frames_per_second},
          {"end_s", facts.end_s},
          {"file_bytes", facts.file_bytes},
          {"first", frame_json(facts.first)},
          {"last", frame_json(facts.last)}};
}

std::string sequence_info_text(const SequenceFacts& facts) {
  std::string text = fmt::format("{}\n", facts.folder);
  text += fmt::format("  a moving scene, a frame a file\n");
  text += fmt::format("  frames     {}\n", facts.frames);
  text += fmt::format("  format     {}, {}\n", facts.format, bytes_text(facts.file_bytes));
  text += fmt::format("  time       0 to {:.6g} s at {:.6g} frames a second\n", facts.end_s,
                      facts.frames_per_second);
  text += fmt::format("  first      {}\n", frame_text(facts.first));
  text += fmt::format("  last       {}\n", frame_text(facts.last));
  return text;
}

}  // namespace mote
