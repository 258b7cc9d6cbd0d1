# Read at the start of llama-cpp-python's build (CMAKE_PROJECT_llama_cpp_INCLUDE).

# Its CMakeLists.txt forces llama.cpp's library of command-line helpers on, which nothing here loads and which is
# nearly half of the compiler's work. A plain variable goes before the forced cache entry.
set(LLAMA_BUILD_COMMON OFF)

# GCC 11 to 13 drop the stores that fill the tile configuration (their _tile_loadconfig declares 8 of the 64 bytes
# as read), so on a processor with AMX the first quantised product ends in SIGSEGV. Deferred, because the flags must
# come after the -march=native of the target.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14
   AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 11 AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    cmake_language(DEFER CALL target_compile_options ggml-cpu PRIVATE -mno-amx-tile -mno-amx-int8 -mno-amx-bf16)
endif()
