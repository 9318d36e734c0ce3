#include "train/run/small_adam.h"

#include <algorithm>
#include <cmath>

#include "core/byte_stream.h"
#include "core/error.h"
#include "math/adam.h"

namespace mote {

std::vector<double> SmallAdam::step(std::span<const double> gradient, double learning_rate) {
  CHECK(gradient.size() == first_.size());
  std::vector<double> change(gradient.size(), 0);
  if (!std::all_of(gradient.begin(), gradient.end(), [](double g) { return std::isfinite(g); })) {
    return change;
  }
  const AdamStep numbers = adam_step_at(++steps_, learning_rate);
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const AdamState<double> next = adam_update<double>({0, first_[i], second_[i]}, gradient[i],
                                                       numbers.rate, numbers.inverse_root);
    change[i] = next.value;
    first_[i] = next.first;
    second_[i] = next.second;
  }
  return change;
}

void SmallAdam::save(ByteSink& sink) const {
  sink.put_all(std::span<const double>(first_));
  sink.put_all(std::span<const double>(second_));
  sink.put(steps_);
}

void SmallAdam::restore(ByteSource& source) {
  const std::vector<double> first = get_all<double>(source), second = get_all<double>(source);
  if (first.size() != first_.size() || second.size() != second_.size()) {
    throw Error("the state of an optimiser has another size than in this run",
                "the saved training state", "use an earlier checkpoint");
  }
  first_ = first;
  second_ = second;
  steps_ = source.get<std::uint64_t>();
}

}  // namespace mote
