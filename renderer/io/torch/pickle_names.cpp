#include "io/torch/pickle_names.h"

#include <algorithm>
#include <iterator>

#include "io/torch/torch_tensor.h"

namespace mote::pickle {
namespace {

/// Names whose calls have results that nothing here needs: numbers of NumPy, sizes.
constexpr std::string_view kInertNames[] = {"numpy.core.multiarray scalar",
                                            "numpy._core.multiarray scalar",
                                            "numpy dtype",
                                            "_codecs encode",
                                            "torch Size",
                                            "torch device",
                                            "collections defaultdict",
                                            "builtins dict",
                                            "__builtin__ dict"};

}  // namespace

bool is_known(std::string_view name) {
  return name == kRebuildTensor || name == kRebuildParameter || name == kOrderedDict ||
         torch_storage_type(name).has_value() ||
         std::ranges::find(kInertNames, name) != std::end(kInertNames);
}

}  // namespace mote::pickle
