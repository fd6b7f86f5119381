#!/usr/bin/env bash
# A thousand kills: the full tier's test with more of them.
KILLS=1000 exec bash "$SLEET_SOURCE/tests/cli/test_kills_full.sh"
