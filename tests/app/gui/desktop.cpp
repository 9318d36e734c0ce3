#include "desktop.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>

#include <string>

#include "core/error.h"

namespace mote {

Desktop::Desktop() : display_(::XOpenDisplay(nullptr)) {
  if (display_ == nullptr) throw Error("cannot be reached", "display", "start Xvfb");
}

Desktop::~Desktop() {
  ::XCloseDisplay(display_);
}

void Desktop::set_dots_per_inch(int dots) {
  const std::string text = "Xft.dpi:\t" + std::to_string(dots) + "\n";
  ::XChangeProperty(display_, root(), XA_RESOURCE_MANAGER, XA_STRING, 8, PropModeReplace,
                    reinterpret_cast<const unsigned char*>(text.data()),
                    static_cast<int>(text.size()));
  ::XSync(display_, False);
}

void Desktop::point(int x, int y) {
  ::XWarpPointer(display_, None, window(), 0, 0, 0, 0, x, y);
  ::XSync(display_, False);
}

void Desktop::close() {
  XEvent event{};
  event.xclient.type = ClientMessage;
  event.xclient.window = window();
  event.xclient.message_type = ::XInternAtom(display_, "WM_PROTOCOLS", False);
  event.xclient.format = 32;
  event.xclient.data.l[0] = static_cast<long>(::XInternAtom(display_, "WM_DELETE_WINDOW", False));
  ::XSendEvent(display_, window(), False, NoEventMask, &event);
  ::XSync(display_, False);
}

unsigned long Desktop::root() const {
  return DefaultRootWindow(display_);
}

/// The child window of the root that has a title.
unsigned long Desktop::window() const {
  ::Window ignored = 0, found = 0, *children = nullptr;
  unsigned count = 0;
  ::XQueryTree(display_, root(), &ignored, &ignored, &children, &count);
  for (unsigned i = 0; i < count; ++i) {
    char* title = nullptr;
    if (::XFetchName(display_, children[i], &title) != 0) found = children[i];
    if (title != nullptr) ::XFree(title);
  }
  if (children != nullptr) ::XFree(children);
  if (found == 0) throw Error("shows no window", "display", "open one first");
  return found;
}

}  // namespace mote
