#include "io/splats/streamed_part.h"

#include <cstddef>
#include <vector>

#include "io/splats/cloud_building.h"

namespace mote {

SplatCloud read_in_time(const SplatStream& stream, const LifeRange& range,
                        const ProgressCallback& progress) {
  std::vector<std::size_t> wanted;
  std::size_t count = 0;
  for (std::size_t i = 0; i < stream.parts().size(); ++i) {
    const SplatStream::Part& part = stream.parts()[i];
    if (part.seen.to_s < range.from_s || range.to_s < part.seen.from_s) continue;
    wanted.push_back(i);
    count += part.count;
  }
  SplatCloud all = make_cloud(count, stream.form(), stream.name());
  all.times = stream.times();
  all.antialiased = stream.is_antialiased();
  std::size_t next = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const SplatCloud part = stream.read(wanted[i]);
    for (std::size_t k = 0; k < part.count(); ++k) copy_splat(part, k, all, next++);
    report(progress, static_cast<double>(i + 1) / static_cast<double>(wanted.size()));
  }
  return all;
}

}  // namespace mote
