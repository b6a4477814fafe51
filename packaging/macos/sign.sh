#!/usr/bin/env bash
# Signs, notarises and packs Paperchute.app, on a Mac with Xcode's command line tools:
#   packaging/macos/sign.sh DIST/Paperchute.app "Developer ID Application: NAME (TEAM)" KEYCHAIN-PROFILE
# KEYCHAIN-PROFILE is what `xcrun notarytool store-credentials` has made; the certificate lies in the keychain.
set -euo pipefail
[ $# = 3 ] || { sed -n '2,4s/^# //p' "$0"; exit 2; }
app=$1 identity=$2 profile=$3
entitlements=$(cd "$(dirname "$0")" && pwd)/entitlements.plist
archive=${app%.app}.zip

# From the inside out: whatever is signed last covers what lies in it.
find "$app/Contents" -type f \( -name '*.dylib' -o -name '*.so' \) -print0 |
  xargs -0 codesign --force --timestamp --options runtime --sign "$identity"
codesign --force --timestamp --options runtime --entitlements "$entitlements" --sign "$identity" "$app"
codesign --verify --deep --strict "$app"

ditto -c -k --keepParent "$app" "$archive"
xcrun notarytool submit "$archive" --keychain-profile "$profile" --wait
xcrun stapler staple "$app"
spctl --assess --type execute "$app"
ditto -c -k --keepParent "$app" "$archive"
echo "$archive"
