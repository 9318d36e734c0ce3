#include "io/splats/splat_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string_view>

#include "core/error.h"
#include "io/fourdgs/file.h"
#include "io/splats/cloud_building.h"
#include "io/splats/fourdgs_cloud.h"

namespace mote {
namespace {

constexpr const char* kConvert = "write it again with mote convert";

/// The numbers of lives of the chunks. Throws Error unless there is one for each chunk, which is at
/// most the number of its splats.
std::vector<std::size_t> life_counts(const fourdgs::File& file) {
  const auto found = file.header().attributes.find(fourdgs::kLivesAttribute);
  if (found == file.header().attributes.end()) {
    throw Error("lives may be divided among chunks, so that these cannot be read one at a time",
                file.name(), kConvert);
  }
  std::vector<std::size_t> counts;
  std::string_view text = found->second;
  while (!text.empty()) {
    std::size_t count = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (fault != std::errc{}) break;
    counts.push_back(count);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with(',')) text.remove_prefix(1);
  }
  bool fits = text.empty() && counts.size() == file.chunks().size();
  for (std::size_t i = 0; fits && i < counts.size(); ++i) {
    fits = counts[i] <= file.chunks()[i].count;
  }
  if (!fits) {
    throw Error(fmt::format("{} does not fit the chunks", fourdgs::kLivesAttribute), file.name(),
                kConvert);
  }
  return counts;
}

/// The time in which a chunk's splats are seen, with what the rounding of stored numbers adds: up
/// to 0.25 % of sigma, 0.5 ms of the middle, and the width of hard edges.
LifeRange seen_in(const fourdgs::Chunk& chunk) {
  const double margin_s = 1e-3 + 0.005 * (chunk.end - chunk.begin);
  return {chunk.begin - margin_s, chunk.end + margin_s};
}

}  // namespace

SplatStream::SplatStream(const std::filesystem::path& path) : input_(path) {
  file_ = std::make_unique<fourdgs::File>(input_);
  find_parts();
}

SplatStream::~SplatStream() = default;

void SplatStream::find_parts() {
  const fourdgs::Header& header = file_->header();
  constexpr double kDrawnCutoff = 1.001 / 255;
  if (header.model != fourdgs::TimeModel::lives || !(header.cutoff <= kDrawnCutoff)) {
    throw Error("splats are seen outside of the time of their chunk", file_->name(), kConvert);
  }
  const std::vector<std::size_t> counts = life_counts(*file_);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    parts_.push_back({seen_in(file_->chunks()[i]), counts[i], count_});
    count_ += counts[i];
  }
  form_ = {SplatKind::gaussian, header.sh_degree, SplatMotion::life};
  times_ = fourdgs::times_of(header);
  antialiased_ = header.attributes.contains(fourdgs::kAntialiasedAttribute);
  in_drawn_order_ = header.attributes.contains(fourdgs::kOrderAttribute);
}

SplatCloud SplatStream::read(std::size_t part) const {
  const fourdgs::Header& header = file_->header();
  const fourdgs::SplatList list = fourdgs::SplatReader(*file_).read(part);
  const fourdgs::FoundLives found =
      fourdgs::lives_of(list.splats, header.duration_s, header.cutoff);
  if (found.lives.size() != parts_.at(part).count) {
    throw Error(fmt::format("a chunk of {} lives, where {} says {}", found.lives.size(),
                            fourdgs::kLivesAttribute, parts_[part].count),
                file_->where(file_->chunks()[part].range.offset), kConvert);
  }
  SplatCloud cloud = make_cloud(found.lives.size(), form_, file_->name());
  cloud.times = times_;
  cloud.antialiased = antialiased_;
  const std::size_t stride = list.harmonics_stride;
  for (std::size_t i = 0; i < found.lives.size(); ++i) {
    fourdgs::store(found.lives[i],
                   std::span(list.harmonics).subspan(found.lives[i].first * stride, stride), i,
                   cloud);
  }
  return cloud;
}

bool can_be_streamed(const std::filesystem::path& path) {
  const InputFile input(path);
  std::array<std::byte, 8> head{};
  if (input.read_some(0, head) < head.size() || !fourdgs::probe(head)) return false;
  const fourdgs::File file(input);
  return file.header().attributes.contains(fourdgs::kLivesAttribute);
}

}  // namespace mote
