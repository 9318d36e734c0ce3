#pragma once

// The state of splats in training in a file: parameters, moments, statistics. A page has
// kRestingPage splats, and knows the times at which these are seen. A trainer holds the pages of
// one window of time.

#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/splat_trainer.h"
#include "core/byte_stream.h"
#include "scene/time_window.h"
#include "splats/life_range.h"
#include "splats/splat_cloud.h"
#include "train/splats/pages/page_file.h"

namespace mote {

/// Numbers of pages. All are full. Trainers hold one page more: the splats that fill no page, which
/// are needed in every window.
using PageList = std::vector<std::uint32_t>;

class SplatPages {
 public:
  /// Files the splats of `first` in the order of morton_order(), without moments. `degree`: of the
  /// harmonics in training; those that `first` does not have are 0. `most`: upper bound on the
  /// number of splats. Throws Error, which names the folder, without space for the file.
  SplatPages(const std::filesystem::path& folder, const SplatCloud& first, int degree,
             std::size_t most);

  /// A cloud without splats, in the form of those of the pages.
  const SplatCloud& like() const { return like_; }
  /// The splats of all pages, and of some, as of the last store().
  std::size_t count() const { return filled_ * kRestingPage + rest_; }
  std::size_t count(const PageList& pages) const { return pages.size() * kRestingPage + rest_; }
  std::size_t most() const { return most_; }
  /// Whether the numbers are those of pages.
  bool have(const PageList& pages) const;
  std::uint64_t file_bytes() const { return std::uint64_t{uses_.size()} * page_bytes_; }
  /// Memory of the tables of pages.
  std::size_t memory_bytes() const;

  /// The pages with splats that are seen from half a frame before the window to half a frame after
  /// it, ascending. Splats that are too faint are seen at the middle of their lives.
  PageList seen_in(const TimeWindow& window) const;
  PageList all() const;
  /// At most `most` of the pages, ascending: those that are seen longest before and after the time.
  PageList seen_longest(PageList pages, double time_s, std::size_t most) const;
  /// Divides moments, which are ascending, into as few windows as possible, each of at most `most`
  /// pages, and of as equal numbers of pages as possible. Returns the first moment of each. Empty
  /// if a single moment has more pages.
  std::vector<std::size_t> windows(std::span<const double> times_s, std::size_t most) const;

  /// Files the splats of the trainer, which holds `pages`, in its order. Adds pages to the list if
  /// it has more splats now; if it has fewer, the last pages are empty. Storing twice is the same
  /// as storing once.
  void store(const SplatTrainer& trainer, PageList& pages);
  /// Frees the empty ones of the pages, which no trainer holds any more.
  void release(const PageList& pages);
  /// Makes the state of the trainer that of the pages, without the empty ones. `pages` as they were
  /// given to store(), or others.
  void load(SplatTrainer& trainer, const PageList& pages) const;
  void announce(const PageList& pages) const;

  /// The parameters of the splats of the pages; of those that fill no page only if `with_rest`.
  SplatCloud values(const PageList& pages, bool with_rest) const;

  void save(ByteSink& sink) const;
  /// Throws Error for a state of other splats.
  void restore(ByteSource& source);

 private:
  class Stream;
  class Sink;
  class Source;
  enum class Use : std::uint8_t { free, empty, filled };

  void fill(const SplatCloud& first, const std::vector<std::uint32_t>& order);
  void write_page(std::uint32_t page, const SplatCloud& values);
  PageList filled(const PageList& pages) const;
  void set_use(std::uint32_t page, Use use);
  void note_range(std::uint32_t page, std::size_t splats);

  static constexpr std::uint32_t kRest = 0;  // the page of splats that fill no page

  SplatCloud like_;
  std::size_t most_;
  std::vector<std::size_t> block_bytes_, offsets_;  // of the arrays of a page
  std::size_t page_bytes_ = 0;
  PageFile file_;
  std::vector<Use> uses_;
  std::vector<LifeRange> ranges_;  // of the filled pages
  std::set<std::uint32_t> free_;
  std::size_t filled_ = 0, rest_ = 0;
  std::vector<std::byte> common_;  // the part of a trainer's state that belongs to all splats
};

}  // namespace mote
