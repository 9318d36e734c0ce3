// Calls on files, processes and threads. Standard streams and system files are exempt.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "plan.h"

using faults::Call;

namespace {

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

bool fails(Call call) {
  const int error = faults::fault_of(call);
  if (error == 0) return false;
  errno = error;
  return true;
}

bool is_system_file(const char* path) {
  for (const char* folder : {"/proc/", "/sys/", "/dev/", "/etc/", "/usr/", "/lib/", "/lib64/"}) {
    if (std::strncmp(path, folder, std::strlen(folder)) == 0) return true;
  }
  return false;
}

}  // namespace

// The system's headers declare that some arguments are never null and that some calls never throw.
// These declarations do not matter in a definition.
#pragma GCC diagnostic ignored "-Wnonnull"

extern "C" {

ssize_t write(int file, const void* bytes, size_t count) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  if (file > STDERR_FILENO && fails(Call::write)) return -1;
  return real(file, bytes, count);
}

ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t offset) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
  return fails(Call::write) ? -1 : real(file, bytes, count, offset);
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t offset) {
  return pwrite64(file, bytes, count, offset);
}

// It only waits for the disk: other processes see the same without it.
int fsync(int) {
  return fails(Call::fsync) ? -1 : 0;
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return fails(Call::rename) ? -1 : real(from, to);
}

int renameat2(int a, const char* from, int b, const char* to, unsigned flags) noexcept {
  static const auto real = next<int (*)(int, const char*, int, const char*, unsigned)>("renameat2");
  return fails(Call::rename) ? -1 : real(a, from, b, to, flags);
}

int link(const char* from, const char* to) noexcept {
  static const auto real = next<int (*)(const char*, const char*)>("link");
  return fails(Call::rename) ? -1 : real(from, to);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = next<int (*)(const char*, mode_t)>("mkdir");
  return fails(Call::mkdir) ? -1 : real(path, mode);
}

int unlink(const char* path) noexcept {
  static const auto real = next<int (*)(const char*)>("unlink");
  return fails(Call::unlink) ? -1 : real(path);
}

int open64(const char* path, int flags, ...) {
  static const auto real = next<int (*)(const char*, int, ...)>("open64");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (!is_system_file(path) && fails(Call::open)) return -1;
  return real(path, flags, mode);
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open64(path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
  static const auto real = next<int (*)(int, const char*, int, ...)>("openat64");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (!is_system_file(path) && fails(Call::open)) return -1;
  return real(folder, path, flags, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  static const auto real = next<FILE* (*)(const char*, const char*)>("fopen64");
  return !is_system_file(path) && fails(Call::open) ? nullptr : real(path, mode);
}

FILE* fopen(const char* path, const char* mode) {
  return fopen64(path, mode);
}

pid_t fork() noexcept {
  static const auto real = next<pid_t (*)()>("fork");
  return fails(Call::fork) ? -1 : real();
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*),
                   void* argument) noexcept {
  static const auto real =
      next<int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  if (const int error = faults::fault_of(Call::thread)) return error;
  return real(thread, attributes, work, argument);
}

void* mmap64(void* at, size_t size, int access, int flags, int file, off64_t offset) noexcept {
  static const auto real = next<void* (*)(void*, size_t, int, int, int, off64_t)>("mmap64");
  return fails(Call::mmap) ? MAP_FAILED : real(at, size, access, flags, file, offset);
}

void* mmap(void* at, size_t size, int access, int flags, int file, off_t offset) noexcept {
  return mmap64(at, size, access, flags, file, offset);
}

}  // extern "C"
