// Another program can paste the text that the window copies.
#include <fcntl.h>

#include <array>
#include <cstdio>

#include "app/viewer/session/action.h"
#include "support/gui_fixture.h"

namespace mote {
namespace {

/// The window's host. After something is copied, another program reads the clipboard. The window
/// stays open until the program has the text, because the window supplies it.
class ReadHost : public gui::Host {
 public:
  ReadHost(std::unique_ptr<gui::Host> host, std::string& read)
      : host_(std::move(host)), read_(read) {}
  ~ReadHost() override {
    if (reader_ != nullptr) ::pclose(reader_);
  }

  void poll(double wait_s, std::vector<InputEvent>& events) override {
    host_->poll(wait_s, events);
    if (reader_ == nullptr) return;
    std::array<char, 4096> bytes;
    const ssize_t count = ::read(::fileno(reader_), bytes.data(), bytes.size());
    if (count > 0) read_.append(bytes.data(), static_cast<std::size_t>(count));
    if (count != 0) return;
    ::pclose(std::exchange(reader_, nullptr));
    closing_ = true;
  }
  void set_clipboard(const std::string& text) override {
    host_->set_clipboard(text);
    if (reader_ != nullptr) return;
    reader_ = ::popen(MOTE_CLIPBOARD_READER, "r");
    ASSERT_NE(reader_, nullptr);
    ::fcntl(::fileno(reader_), F_SETFL, O_NONBLOCK);
  }
  bool take_close() override { return std::exchange(closing_, false) || host_->take_close(); }

  int width() const override { return host_->width(); }
  int height() const override { return host_->height(); }
  float scale() const override { return host_->scale(); }
  bool is_full_screen() const override { return host_->is_full_screen(); }
  void obey(const WindowOrder& order) override { host_->obey(order); }
  void set_title(const std::string& title) override { host_->set_title(title); }
  void set_cursor(gui::Cursor cursor) override { host_->set_cursor(cursor); }
  std::string clipboard() override { return host_->clipboard(); }
  std::optional<present::WindowSystem> window_system() override { return host_->window_system(); }

 private:
  std::unique_ptr<gui::Host> host_;
  std::string& read_;
  FILE* reader_ = nullptr;
  bool closing_ = false;
};

class Clipboard : public ScriptedWindow {
 protected:
  /// Returns the text that another program pastes after the script has copied something.
  std::string copied_by(const std::string& text) {
    std::string read;
    run_in_window(text + "wait seconds 100000\n",
                  std::make_unique<ReadHost>(gui::open_window(900, 600), read));
    start();
    return read;
  }

  /// The line of the log about the file.
  std::string line_about(const std::string& name) const {
    for (const LogLine& line : session().log.lines()) {
      if (line.text.find(name) != std::string::npos) return line.text;
    }
    return {};
  }
};

TEST_F(Clipboard, ContainsTheClickedLineOfTheLog) {
  std::ofstream(path("bad.ply")) << "ply\nformat nonsense";
  run_in_window("open {}/bad.ply\nwait loaded\n");
  const std::string line = line_about("bad.ply");
  ASSERT_FALSE(line.empty());
  const std::string row = line.substr(0, line.find('\n'));
  EXPECT_EQ(copied_by("notices clear\npanel log on\npointer at " + as_word(row) + " 0.1\n" +
                      "pointer click left\n"),
            line);
}

TEST_F(Clipboard, ContainsTheFilteredLines) {
  std::ofstream(path("bad.ply")) << "ply\nformat nonsense";
  run_in_window("open {}/bad.ply {}/missing.ply\nwait loaded\n");
  const std::string line = line_about("missing.ply");
  ASSERT_FALSE(line.empty());
  EXPECT_EQ(copied_by("notices clear\npanel log on\npointer at Filter\npointer click left\n"
                      "text missing.ply\npointer at Copy\npointer click left\n"),
            line + "\n");
}

TEST_F(Clipboard, ContainsTheMessageOfANotice) {
  std::ofstream(path("bad.ply")) << "ply\nformat nonsense";
  run_in_window("open {}/bad.ply\nwait loaded\n");
  ASSERT_EQ(session().notices.list().size(), 1u);
  const std::string text = session().notices.list().front().text;
  EXPECT_EQ(copied_by("pointer at Copy\npointer click left\n"), text);
}

}  // namespace
}  // namespace mote
