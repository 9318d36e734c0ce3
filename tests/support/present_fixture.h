#pragma once

// A presenter with validation layers, for the tests labelled `gui`.

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "core/error.h"
#include "present/presenter.h"

namespace mote {

inline Image random_picture(int width, int height, int channels, unsigned seed) {
  Image image;
  image.resize_discard(width, height, channels);
  std::mt19937 random(seed);
  for (float& value : image.pixels.span()) value = static_cast<float>(random() % 4096) / 4095.0f;
  return image;
}

/// Sets an environment variable of this process until the end of the scope.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value, 1);
  }
  ~ScopedVariable() {
    if (old_.has_value()) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

/// Keeps the drivers loaded until the process ends. Otherwise their own memory counts as leaked
/// after they are unloaded. Throws Error if there is no driver.
inline void keep_drivers_loaded() {
  static const present::Instance* const kInstance = new present::Instance({});
  static_cast<void>(kInstance);
}

/// Offscreen, with validation layers. Skips the test without a Vulkan driver. A message of the
/// layers fails the test.
class PresentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      keep_drivers_loaded();
      presenter_ =
          std::make_unique<present::Presenter>(present::PresenterOptions{.validation = true});
    } catch (const Error& error) {
      GTEST_SKIP() << "no Vulkan device, or no validation layers: " << error.what();
    }
  }
  void TearDown() override {
    if (presenter_ == nullptr) return;
    EXPECT_EQ(presenter_->validation().count(), 0);
    for (const std::string& text : presenter_->validation().texts()) ADD_FAILURE() << text;
  }

  std::unique_ptr<present::Presenter> presenter_;
};

}  // namespace mote
