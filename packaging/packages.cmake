# How `cpack` makes the .deb and the .tar.gz.
set(CPACK_GENERATOR TGZ)
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
if(DPKG_SHLIBDEPS)
  list(APPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_PACKAGE_NAME mote)
set(CPACK_PACKAGE_VENDOR Mote)
set(CPACK_PACKAGE_CONTACT "${MOTE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "train, show, edit and measure radiance fields")
set(CPACK_PACKAGE_DESCRIPTION
"Mote trains, shows, edits and measures radiance fields, in a window or without
one: photographs with poses in, a scene of Gaussian splats out. It reads and
writes .ply, .spz, .4dgs and .splatv, and works with and without a graphics card.")
set(CPACK_STRIP_FILES ON)
string(TOLOWER "mote-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" CPACK_PACKAGE_FILE_NAME)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_BINARY_DIR}/cpack_config.cmake)
configure_file(cpack_config.cmake.in cpack_config.cmake @ONLY)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# FFmpeg's libraries are loaded when a video is written. They must have the versions that Mote is
# compiled for, such as "libavcodec59".
set(recommended "mesa-vulkan-drivers | vulkan-icd")
foreach(library avformat avcodec avutil swscale)
  string(REGEX MATCH "^[0-9]+" major "${FFMPEG_lib${library}_VERSION}")
  string(APPEND recommended ", lib${library}${major}")
endforeach()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "${recommended}")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "colmap")
include(CPack)
