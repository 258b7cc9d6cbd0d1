# Read at the start of llama-cpp-python's build (CMAKE_PROJECT_llama_cpp_INCLUDE). Its CMakeLists.txt forces
# llama.cpp's library of command-line helpers on, which nothing here loads and which is nearly half of the
# compiler's work. A plain variable goes before the forced cache entry.
set(LLAMA_BUILD_COMMON OFF)
