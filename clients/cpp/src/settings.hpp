// Settings with everything filled in.
#pragma once

#include <functional>
#include <string>

#include "croupier/play.hpp"

namespace croupier::detail {

using Environment = std::function<std::string(const char*)>;

// What the environment says; empty: nothing.
std::string from_environment(const char* name);

struct Resolved {
  std::string target;
  std::string name;
  std::string token;
  Tls tls;
};

// Fill in what was not said, and check all of it before anything is tried. Throws BadSetting, BadCertificate.
Resolved resolve(const Settings& settings, const std::string& class_name, const Environment& environment);

}  // namespace croupier::detail
