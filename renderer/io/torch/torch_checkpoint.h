#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/file.h"
#include "io/torch/pickle.h"
#include "io/torch/zip_entries.h"

namespace mote {

/// Whether a file begins as a checkpoint of PyTorch, of any version.
bool starts_as_checkpoint(std::span<const std::byte> head);

/// A checkpoint that torch.save wrote (PyTorch 1.6 and later): a ZIP archive of a pickle and of the
/// storages of its tensors. Nothing of it is run; see Pickle.
class TorchCheckpoint {
 public:
  /// Reads the pickle. Throws Error for damaged files, for those of older versions, and for pickles
  /// that Pickle refuses.
  explicit TorchCheckpoint(const InputFile& file);

  const Pickle& pickle() const { return pickle_; }
  /// The numbers of a tensor, with the last index the fastest. Throws Error unless the value is a
  /// tensor within its storage, of `rows` rows if that is not 0, and with `row` numbers a row.
  std::vector<float> numbers(const PickleValue* value, const std::string& what, std::uint64_t rows,
                             std::uint64_t row) const;
  /// The sides of a tensor. Throws Error if the value is no tensor.
  const std::vector<std::uint64_t>& shape(const PickleValue* value, const std::string& what) const;

 private:
  const TorchTensor& tensor(const PickleValue* value, const std::string& what) const;

  const InputFile& file_;
  std::map<std::string, ZipEntry> entries_;
  std::string folder_;  // of the archive, with a slash
  Pickle pickle_;
};

}  // namespace mote
