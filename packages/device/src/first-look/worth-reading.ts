/** Unscanned commits are counted up to this number. */
export const mostCounted = 20_000

/** Larger files are not read as a whole. */
export const wholeBytes = 128 * 1024

// Generated files, media and archives: keys are not kept there, and scanning takes long.
const never =
  /(^|\/)(package-lock\.json|[^/]*[-.]lock(\.ya?ml|\.json|b)?|go\.sum)$|\.(lock|map|snap|svg|png|jpe?g|gif|webp|avif|ico|bmp|tiff?|pdf|zip|t?gz|xz|zst|bz2|7z|tar|jar|war|whl|so|a|o|dylib|dll|exe|wasm|node|class|pyc|woff2?|ttf|otf|eot|mp[34]|m4a|mov|avi|mkv|webm|ogg|wav|flac|psd|sqlite3?|db|bin|dat|parquet|onnx|pt|csv|tsv|po|mo|min\.(js|css))$/i

// Settings, scripts and notes, where people leave secrets by accident.
const settings =
  /(^|\/)\.[^/]+$|\.(env|ini|ya?ml|toml|json5?|properties|cfg|conf|config|tf|tfvars|sh|bash|zsh|fish|ps1|bat|pem|key|crt|p8|asc|gpg|txt|http|rest|sql|ovpn|xml|plist|gradle|netrc)$|(^|\/)[^./]+$|\.env\./i

/**
 * Whether a file of this name and size is worth scanning; with `onlySettings` only settings are, because thousands of
 * sources would delay the start.
 */
export const worthReading = (path: string, size: number, onlySettings: boolean): boolean =>
  size > 0 && size <= wholeBytes && !never.test(path) && (!onlySettings || settings.test(path))
