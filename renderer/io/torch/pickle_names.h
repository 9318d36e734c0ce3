#pragma once

#include <string_view>

namespace mote::pickle {

/// Functions and classes by module and name, which have a meaning here.
inline constexpr std::string_view kRebuildTensor = "torch._utils _rebuild_tensor_v2",
                                  kRebuildParameter = "torch._utils _rebuild_parameter",
                                  kOrderedDict = "collections OrderedDict";

/// Whether a checkpoint of tensors may name the function or class. None is ever called.
bool is_known(std::string_view name);

}  // namespace mote::pickle
