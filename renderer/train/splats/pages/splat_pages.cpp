#include "train/splats/pages/splat_pages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "backend/train_snapshot.h"
#include "core/error.h"
#include "core/parallel.h"
#include "splats/morton.h"
#include "splats/splat_geometry.h"

namespace mote {
namespace {

constexpr std::size_t kPageBlocks = kRestingPage / kBlockSize;
constexpr double kAlways_s = std::numeric_limits<double>::infinity();

std::size_t blocks_of(std::size_t splats) {
  return (splats + kBlockSize - 1) / kBlockSize;
}

std::vector<std::size_t> offsets_of(const std::vector<std::size_t>& block_bytes) {
  std::vector<std::size_t> offsets{0};
  for (const std::size_t bytes : block_bytes)
    offsets.push_back(offsets.back() + kPageBlocks * bytes);
  return offsets;
}

SplatCloud empty_like(const SplatCloud& cloud, int degree) {
  SplatCloud like(0, SplatForm{cloud.kind(), degree, cloud.motion()});
  like.antialiased = cloud.antialiased;
  like.times = cloud.times;
  return like;
}

/// The times at which a splat is needed. Faint splats, those seen at no time of the scene and those
/// without finite values are in some window too, so that they can be moved.
LifeRange range_of_splat(const MotionValues& motion, float logit_opacity, double duration_s) {
  LifeRange life = life_range(motion, logit_opacity);
  if (life.empty() && !is_static(motion[Field::log_time_plateau])) {
    const auto middle = static_cast<double>(motion[Field::time_mean]);
    life = {middle, middle};
  }
  if (!(life.from_s <= life.to_s)) return {-kAlways_s, kAlways_s};  // also for NaN
  return {std::min(life.from_s, duration_s), std::max(life.to_s, 0.0)};
}

}  // namespace

/// The places in the file of the bytes of a trainer's state: a header, then arrays page by page,
/// then a common part.
class SplatPages::Stream {
 public:
  Stream(const SplatPages& pages, const PageList& list, std::size_t count)
      : pages_(pages), list_(list), blocks_(blocks_of(count)) {}

  struct Piece {
    std::uint32_t page = 0;
    std::size_t offset = 0, bytes = 0;
  };
  bool in_header() const { return at_ < SnapshotHeader::kBytes; }
  bool in_arrays() const { return !in_header() && array_ < pages_.block_bytes_.size(); }
  /// The next piece within one page, of at most `most` bytes. The arrays must not be at their end.
  Piece piece(std::size_t most) const {
    const std::size_t page_bytes = kPageBlocks * pages_.block_bytes_[array_];
    const std::size_t number = in_array_ / page_bytes, within = in_array_ % page_bytes;
    const std::size_t left = std::min(page_bytes - within, array_bytes() - in_array_);
    const std::uint32_t page = number < list_.size() ? list_[number] : kRest;
    return {page, pages_.offsets_[array_] + within, std::min(most, left)};
  }
  void advance(std::size_t bytes) {
    at_ += bytes;
    if (at_ <= SnapshotHeader::kBytes) return skip_empty();
    in_array_ += bytes;
    skip_empty();
  }
  std::size_t at() const { return at_; }
  std::size_t array_bytes_in_all() const {
    return blocks_ *
           std::accumulate(pages_.block_bytes_.begin(), pages_.block_bytes_.end(), std::size_t{0});
  }

 private:
  std::size_t array_bytes() const { return blocks_ * pages_.block_bytes_[array_]; }
  void skip_empty() {
    while (in_arrays() && in_array_ == array_bytes()) {
      ++array_;
      in_array_ = 0;
    }
  }

  const SplatPages& pages_;
  const PageList& list_;
  std::size_t blocks_, at_ = 0, array_ = 0, in_array_ = 0;
};

class SplatPages::Sink : public ByteSink {
 public:
  Sink(SplatPages& pages, const PageList& list, std::size_t count)
      : pages_(pages), stream_(pages, list, count) {}

  void write(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      std::size_t done = bytes.size();
      if (stream_.in_header()) {
        done = std::min(done, SnapshotHeader::kBytes - stream_.at());
      } else if (stream_.in_arrays()) {
        const Stream::Piece piece = stream_.piece(done);
        done = piece.bytes;
        pages_.file_.write(piece.page, piece.offset, bytes.first(done));
      } else {
        common.insert(common.end(), bytes.begin(), bytes.end());
      }
      stream_.advance(done);
      bytes = bytes.subspan(done);
    }
  }

  std::vector<std::byte> common;

 private:
  SplatPages& pages_;
  Stream stream_;
};

class SplatPages::Source : public ByteSource {
 public:
  Source(const SplatPages& pages, const PageList& list, std::size_t count)
      : pages_(pages), stream_(pages, list, count) {
    class Header : public ByteSink {
     public:
      explicit Header(std::array<std::byte, SnapshotHeader::kBytes>& out) : out_(out) {}
      void write(std::span<const std::byte> bytes) override {
        CHECK(at_ + bytes.size() <= out_.size());
        std::memcpy(out_.data() + at_, bytes.data(), bytes.size());
        at_ += bytes.size();
      }

     private:
      std::array<std::byte, SnapshotHeader::kBytes>& out_;
      std::size_t at_ = 0;
    } sink(header_);
    SnapshotHeader{count, pages.like_.sh_degree()}.save(sink);
  }

  void read(std::span<std::byte> out) override {
    CHECK(out.size() <= left());
    while (!out.empty()) {
      std::size_t done = out.size();
      if (stream_.in_header()) {
        done = std::min(done, SnapshotHeader::kBytes - stream_.at());
        std::memcpy(out.data(), header_.data() + stream_.at(), done);
      } else if (stream_.in_arrays()) {
        const Stream::Piece piece = stream_.piece(done);
        done = piece.bytes;
        pages_.file_.read(piece.page, piece.offset, out.first(done));
      } else {
        std::memcpy(out.data(), pages_.common_.data() + common_at_, done);
        common_at_ += done;
      }
      stream_.advance(done);
      out = out.subspan(done);
    }
  }
  std::size_t left() const override {
    return SnapshotHeader::kBytes + stream_.array_bytes_in_all() + pages_.common_.size() -
           stream_.at();
  }

 private:
  const SplatPages& pages_;
  Stream stream_;
  std::array<std::byte, SnapshotHeader::kBytes> header_;
  std::size_t common_at_ = 0;
};

SplatPages::SplatPages(const std::filesystem::path& folder, const SplatCloud& first, int degree,
                       std::size_t most)
    : like_(empty_like(first, degree)),
      most_(std::max(most, first.count())),
      block_bytes_(snapshot_block_bytes(like_.form())),
      offsets_(offsets_of(block_bytes_)),
      page_bytes_(offsets_.back()),
      file_(folder, most_ / kRestingPage + 1, page_bytes_),
      uses_(file_.pages(), Use::free),
      ranges_(file_.pages(), LifeRange{kAlways_s, -kAlways_s}) {
  for (std::uint32_t page = kRest + 1; page < uses_.size(); ++page) free_.insert(page);
  ThreadPool pool(0);
  fill(first, morton_order(first, pool));
  // The common part of a trainer that has taken no step.
  TrainSnapshot none{SplatCloud(0, like_)};
  none.clear_statistics();
  PageList list;
  Sink sink(*this, list, 0);
  none.save(sink);
  common_ = std::move(sink.common);
}

void SplatPages::fill(const SplatCloud& first, const std::vector<std::uint32_t>& order) {
  rest_ = order.size() % kRestingPage;
  const std::size_t pages = order.size() / kRestingPage + (rest_ > 0 ? 1 : 0);
  for (std::size_t i = 0; i < pages; ++i) {
    const std::size_t begin = i * kRestingPage;
    SplatCloud values(std::min(kRestingPage, order.size() - begin), like_);
    for (std::size_t k = 0; k < values.count(); ++k) {
      for (const Field field : like_.info().stored()) {
        values.at(k, field) = first.at(order[begin + k], field);
      }
      for (int c = 0; c < like_.sh_coefficients(); ++c) {
        for (int channel = 0; channel < 3; ++channel) {
          values.sh(k, c, channel) =
              c < first.sh_coefficients() ? first.sh(order[begin + k], c, channel) : 0.0f;
        }
      }
    }
    const bool is_full = values.count() == kRestingPage;
    const auto page = is_full ? static_cast<std::uint32_t>(i) + kRest + 1 : kRest;
    if (is_full) set_use(page, Use::filled);
    write_page(page, values);
    if (is_full) note_range(page, kRestingPage);
  }
}

/// Without moments and statistics, as before the first step.
void SplatPages::write_page(std::uint32_t page, const SplatCloud& values) {
  const std::vector<std::byte> zero(page_bytes_);
  file_.write(page, 0, zero);
  const std::size_t blocks = values.block_count();
  file_.write(
      page, offsets_[0],
      std::as_bytes(std::span(values.geometry_block(0), blocks * values.geometry_stride())));
  file_.write(page, offsets_[1],
              std::as_bytes(std::span(values.sh_block(0), blocks * values.sh_stride())));
}

std::size_t SplatPages::memory_bytes() const {
  return uses_.size() * (sizeof(Use) + sizeof(LifeRange)) + common_.size();
}

void SplatPages::set_use(std::uint32_t page, Use use) {
  filled_ += use == Use::filled ? 1 : 0;
  filled_ -= uses_[page] == Use::filled ? 1 : 0;
  if (use == Use::free) free_.insert(page);
  if (uses_[page] == Use::free) free_.erase(page);
  uses_[page] = use;
}

void SplatPages::note_range(std::uint32_t page, std::size_t splats) {
  std::vector<float> geometry(kPageBlocks * like_.geometry_stride());
  file_.read(page, offsets_[0], std::as_writable_bytes(std::span(geometry)));
  const FieldPlanes& planes = like_.info().planes;
  LifeRange range{kAlways_s, -kAlways_s};
  for (std::size_t i = 0; i < splats; ++i) {
    const LifeRange life = range_of_splat(load_motion(planes, geometry.data(), i),
                                          load_geometry(planes, geometry.data(), i).logit_opacity,
                                          like_.times.duration_s);
    range = joined(range, life);
  }
  ranges_[page] = range;
}

bool SplatPages::have(const PageList& pages) const {
  return std::ranges::all_of(
      pages, [&](std::uint32_t page) { return page != kRest && page < uses_.size(); });
}

PageList SplatPages::filled(const PageList& pages) const {
  PageList result;
  for (const std::uint32_t page : pages) {
    if (uses_[page] == Use::filled) result.push_back(page);
  }
  return result;
}

PageList SplatPages::all() const {
  PageList result;
  for (std::uint32_t page = kRest + 1; page < uses_.size(); ++page) {
    if (uses_[page] == Use::filled) result.push_back(page);
  }
  return result;
}

void SplatPages::store(const SplatTrainer& trainer, PageList& pages) {
  const std::size_t count = trainer.count(), full = count / kRestingPage;
  while (pages.size() < full) {
    CHECK(!free_.empty());
    pages.push_back(*free_.begin());
    set_use(pages.back(), Use::empty);
  }
  const PageList kept(pages.begin(), pages.begin() + static_cast<std::ptrdiff_t>(full));
  Sink sink(*this, kept, count);
  trainer.save(sink);
  common_ = std::move(sink.common);
  rest_ = count % kRestingPage;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    set_use(pages[i], i < full ? Use::filled : Use::empty);
    if (i < full) note_range(pages[i], kRestingPage);
  }
}

void SplatPages::release(const PageList& pages) {
  for (const std::uint32_t page : pages) {
    if (uses_[page] == Use::empty) set_use(page, Use::free);
  }
}

void SplatPages::load(SplatTrainer& trainer, const PageList& pages) const {
  const PageList list = filled(pages);
  Source source(*this, list, count(list));
  trainer.restore(source);
}

void SplatPages::announce(const PageList& pages) const {
  for (const std::uint32_t page : pages) file_.announce(page);
}

SplatCloud SplatPages::values(const PageList& pages, bool with_rest) const {
  PageList list = filled(pages);
  const std::size_t rest = with_rest ? rest_ : 0;
  SplatCloud cloud(list.size() * kRestingPage + rest, like_);
  if (rest > 0) list.push_back(kRest);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::size_t first = i * kPageBlocks;
    const std::size_t blocks = std::min(kPageBlocks, cloud.block_count() - first);
    const auto read = [&](float* values, std::size_t stride, std::size_t array) {
      file_.read(list[i], offsets_[array],
                 std::as_writable_bytes(std::span(values, blocks * stride)));
    };
    read(cloud.geometry_block(first), cloud.geometry_stride(), 0);
    read(cloud.sh_block(first), cloud.sh_stride(), 1);
  }
  return cloud;
}

void SplatPages::save(ByteSink& sink) const {
  sink.put_all(std::span<const Use>(uses_));
  sink.put(static_cast<std::uint64_t>(rest_));
  sink.put_all(std::span<const std::byte>(common_));
  std::vector<std::byte> bytes(page_bytes_);
  for (std::uint32_t page = 0; page < uses_.size(); ++page) {
    if (page != kRest && uses_[page] != Use::filled) continue;
    file_.read(page, 0, bytes);
    sink.write(bytes);
  }
}

void SplatPages::restore(ByteSource& source) {
  const std::vector<Use> uses = get_all<Use>(source);
  rest_ = static_cast<std::size_t>(source.get<std::uint64_t>());
  common_ = get_all<std::byte>(source);
  const auto is_use = [](Use use) { return use <= Use::filled; };
  if (uses.size() != uses_.size() || rest_ >= kRestingPage || !std::ranges::all_of(uses, is_use)) {
    throw Error("has pages of another number of splats", "the saved training state",
                "resume with the original options and dataset of the run");
  }
  std::vector<std::byte> bytes(page_bytes_);
  for (std::uint32_t page = 0; page < uses_.size(); ++page) {
    if (page != kRest) set_use(page, uses[page]);
    if (page != kRest && uses[page] != Use::filled) continue;
    source.read(bytes);
    file_.write(page, 0, bytes);
    if (page != kRest) note_range(page, kRestingPage);
  }
}

}  // namespace mote
