#include "io/splats/fourdgs_lives.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace mote::fourdgs {
namespace {

constexpr float kEndless = std::numeric_limits<float>::infinity();
/// A bell of this sigma, s, is an edge of a box, and a plateau of this share of sigma is none.
constexpr double kEdge_s = 1e-4, kNoPlateau = 1e-3;
/// A hard edge is this far before the end of its window, s, so that of two boxes without a gap only
/// the later one is seen at the time between them.
constexpr double kBeforeEnd_s = 7 * kEdge_s;
/// Windows end this long after the scene, s, so that its last moment is seen.
constexpr double kBeyond_s = 1;

/// The splat with its position at another time of its life.
Splat centred(Splat splat, double time_s) {
  for (std::size_t i = 0; i < 3; ++i) {
    splat.position[i] += static_cast<float>(splat.velocity[i] * (time_s - double{splat.time}));
  }
  splat.time = static_cast<float>(time_s);
  return splat;
}

class Pieces {
 public:
  Pieces(const Splat& splat, double duration_s) : splat_(splat), end_(duration_s + kBeyond_s) {}

  /// A bell around `time_s`, or a box, in a window.
  void add(double time_s, float sigma, double begin, double end) {
    begin = std::max(begin, 0.0);
    end = std::min(end, end_);
    Splat piece = centred(splat_, time_s);
    piece.sigma = sigma;
    piece.begin = static_cast<float>(begin);
    piece.end = static_cast<float>(end);
    if (piece.begin < piece.end) pieces_.push_back(piece);
  }
  std::vector<Splat> take() { return std::move(pieces_); }

 private:
  const Splat& splat_;
  double end_;
  std::vector<Splat> pieces_;
};

LifeSplat box(const Splat& splat, double begin, double end, double sigma) {
  const double middle = (begin + end) / 2;
  LifeSplat life{.splat = centred(splat, middle), .plateau = (end - begin) / 2};
  life.splat.sigma = static_cast<float>(sigma);
  return life;
}

bool is_bell(const Splat& splat) {
  return !std::isinf(splat.sigma);
}

/// The mean of a bell between two times.
double mean_weight(const Splat& splat, double begin, double end) {
  constexpr int kTimes = 32;
  double sum = 0;
  for (int i = 0; i < kTimes; ++i) {
    const double time = begin + (end - begin) * (i + 0.5) / kTimes;
    const double deviations = (time - double{splat.time}) / double{splat.sigma};
    sum += std::exp(-0.5 * deviations * deviations);
  }
  return sum / kTimes;
}

class Lives {
 public:
  /// `most`: upper bound on the number of lives.
  Lives(double duration_s, double cutoff, std::size_t most)
      : duration_(duration_s), reach_(std::sqrt(-2 * std::log(cutoff))) {
    found_.lives.reserve(most);
  }

  /// Pieces of one source, by the beginning of their windows. `first`: the number of one of them.
  void add(std::span<const Splat> pieces, std::size_t first) {
    const std::size_t known = found_.lives.size();
    add_all(pieces);
    for (std::size_t i = known; i < found_.lives.size(); ++i) found_.lives[i].first = first;
  }
  FoundLives take() { return std::move(found_); }

 private:
  void add_all(std::span<const Splat> pieces) {
    if (!add_joined(pieces)) {
      for (const Splat& piece : pieces) add_one(piece);
    }
  }

  /// A box with the halves of a bell beside it, as pieces_of() makes them.
  bool add_joined(std::span<const Splat> pieces) {
    if (pieces.size() < 2 || pieces.size() > 3) return false;
    const Splat *top = nullptr, *bell = nullptr;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (i > 0 && pieces[i].begin != pieces[i - 1].end) return false;
      const Splat*& place = is_bell(pieces[i]) ? bell : top;
      if (&place == &top && top != nullptr) return false;
      place = &pieces[i];
    }
    if (top == nullptr || bell == nullptr) return false;
    found_.lives.push_back(box(*top, top->begin, top->end, bell->sigma));
    return true;
  }

  void add_one(const Splat& splat) {
    const double begin = splat.begin, end = splat.end;
    if (!(begin < end)) return;  // never seen
    const bool from_first = begin <= 0, to_last = end >= duration_;
    if (!is_bell(splat)) {
      const bool moves = splat.velocity != std::array<float, 3>{};
      if (from_first && to_last && !moves) {
        found_.lives.push_back({.splat = splat, .is_static = true});
      } else {
        found_.lives.push_back(box(splat, std::max(begin, -duration_),
                                   before_end(begin, std::min(end, 2 * duration_ + kBeyond_s)),
                                   kEdge_s));
      }
      return;
    }
    const double half = reach_ * double{splat.sigma};
    const double first = double{splat.time} - half, last = double{splat.time} + half;
    if ((from_first || begin <= first) && (to_last || end >= last)) {
      found_.lives.push_back({.splat = splat});
      return;
    }
    const double seen_from = std::max(begin, first), seen_to = std::min(end, last);
    if (!(seen_from < seen_to)) return;
    ++found_.cut;
    LifeSplat life = box(splat, seen_from, before_end(seen_from, seen_to), kEdge_s);
    // Windows may end after the scene.
    const double scene_end = seen_from < duration_ ? std::min(seen_to, duration_) : seen_to;
    life.splat.color[3] *= static_cast<float>(mean_weight(splat, seen_from, scene_end));
    found_.lives.push_back(life);
  }

  double before_end(double begin, double end) const {
    return end < duration_ && end - kBeforeEnd_s > begin ? end - kBeforeEnd_s : end;
  }

  double duration_, reach_;
  FoundLives found_;
};

}  // namespace

std::vector<Splat> pieces_of(const LifeSplat& life, double duration_s) {
  const double middle = life.splat.time, sigma = life.splat.sigma;
  const double begin = middle - life.plateau, end = middle + life.plateau;
  const double always = std::numeric_limits<double>::infinity();
  Pieces pieces(life.splat, duration_s);
  if (life.is_static) {
    pieces.add(middle, kEndless, 0, always);
  } else if (sigma <= kEdge_s) {
    pieces.add(middle, kEndless, begin, end);
  } else if (life.plateau <= kNoPlateau * sigma ||
             !(static_cast<float>(begin) < static_cast<float>(end))) {
    pieces.add(middle, life.splat.sigma, 0, always);
  } else {
    pieces.add(begin, life.splat.sigma, 0, begin);
    pieces.add(middle, kEndless, begin, end);
    pieces.add(end, life.splat.sigma, end, always);
  }
  return pieces.take();
}

FoundLives lives_of(const std::vector<Splat>& splats, double duration_s, double cutoff) {
  std::vector<std::size_t> order(splats.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [&](std::size_t a, std::size_t b) {
    if (splats[a].source != splats[b].source) return splats[a].source < splats[b].source;
    return splats[a].source != 0 && splats[a].begin < splats[b].begin;
  };
  // Chunks that Mote wrote are in this order.
  if (!std::is_sorted(order.begin(), order.end(), before)) {
    std::stable_sort(order.begin(), order.end(), before);
  }
  Lives lives(duration_s, cutoff, splats.size());
  std::vector<Splat> group;
  for (std::size_t i = 0; i < order.size(); ++i) {
    group.push_back(splats[order[i]]);
    const bool goes_on = i + 1 < order.size() && group.back().source != 0 &&
                         splats[order[i + 1]].source == group.back().source;
    if (goes_on) continue;
    lives.add(group, order[i]);
    group.clear();
  }
  return lives.take();
}

}  // namespace mote::fourdgs
