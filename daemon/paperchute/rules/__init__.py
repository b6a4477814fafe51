"""The rule file: TOML in, frozen rules out; matching, output names, explanations. No clock, network or threads."""
