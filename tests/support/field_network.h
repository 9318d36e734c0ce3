#pragma once

// A --network file for trainings of fields in tests.

namespace mote {

/// Small networks that learn fast. Their learning rate does not depend on the length of the run.
inline constexpr const char* kFieldNetwork = R"({
  "encoding": {"otype": "HashGrid", "n_levels": 4, "n_features_per_level": 2,
               "log2_hashmap_size": 10, "base_resolution": 8},
  "network": {"otype": "FullyFusedMLP", "n_neurons": 16, "n_hidden_layers": 1},
  "rgb_network": {"otype": "FullyFusedMLP", "n_neurons": 16, "n_hidden_layers": 1},
  "optimizer": {"otype": "Ema", "decay": 0.95,
                "nested": {"otype": "Adam", "learning_rate": 1e-2, "beta2": 0.99}}
})";

}  // namespace mote
