#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/file.h"
#include "io/fourdgs/records.h"

namespace mote::fourdgs {

/// Whether the bytes begin a .4dgs file of any version.
bool probe(std::span<const std::byte> head);

/// A .4dgs file without the content of its chunks. `input` must outlive it.
class File {
 public:
  /// Reads all records but chunks and harmonics, and the heads of these. Throws Error where a
  /// record is missing, damaged, there twice, or disagrees with the index of chunks.
  explicit File(const InputFile& input);

  const Header& header() const { return header_; }
  const Quantization& quantization() const { return quantization_; }
  /// The number of windows, at least one. Their table stays in the file: a scene whose lives have
  /// plateaus has more windows than splats.
  std::size_t window_count() const { return window_count_; }
  std::vector<Window> windows(std::size_t first, std::size_t count) const;
  /// In the order of the file. With TimeModel::states, their spans cover the duration, each once.
  const std::vector<Chunk>& chunks() const { return chunks_; }
  const std::vector<ObjectTrack>& tracks() const { return tracks_; }

  /// The state that the changes of a chunk are changes of, which lies before them in the file. Null
  /// where there is none.
  const Chunk* reference_of(std::size_t chunk) const;

  /// The content of a record.
  std::vector<std::byte> content(const RecordRange& range) const;
  std::string name() const { return input_.name(); }
  std::string where(std::uint64_t offset) const;

 private:
  struct Found;  // records during reading

  void read_records();
  void read_record(Opcode opcode, const RecordRange& range, Found& found);
  void read_header(const RecordRange& range);
  void read_quantization(const RecordRange& range);
  void read_windows(const RecordRange& range);
  void read_chunk_head(const RecordRange& range, bool is_delta);
  void read_band_head(const RecordRange& range);
  void read_track(const RecordRange& range);
  void check_index(const Found& found) const;
  void check_entry(const RecordRange& range) const;
  void check_summary(const Found& found) const;
  void check_states() const;

  const InputFile& input_;
  Header header_;
  Quantization quantization_;
  std::size_t window_count_ = 1;
  std::uint64_t windows_at_ = 0;  // offset of the first window; 0: there is no table
  std::vector<Chunk> chunks_;
  std::vector<ObjectTrack> tracks_;
};

}  // namespace mote::fourdgs
