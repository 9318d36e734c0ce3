#include "train/run/run_state.h"

#include "core/error.h"

namespace mote {

void RunState::save(ByteSink& sink) const {
  sink.put(plain);
  sink.put_all(std::span<const EvaluationPoint>(evaluations));
}

void RunState::restore(ByteSource& source) {
  plain = source.get<Plain>();
  const auto count = source.get<unsigned long long>();
  if (count > source.left() / sizeof(EvaluationPoint)) {
    throw Error("lists more evaluations than it contains", "checkpoint",
                "start again with -y, which removes the old run");
  }
  evaluations.resize(static_cast<std::size_t>(count));
  source.read(std::as_writable_bytes(std::span(evaluations)));
}

}  // namespace mote
