/** Where more commits than these are not looked at, nobody counts them. */
export const mostCounted = 20_000

/** A file that is larger is not read as a whole. */
export const wholeBytes = 128 * 1024

// What machines write, what is drawn, heard or packed: keys are not kept there, and looking takes long.
const never =
  /(^|\/)(package-lock\.json|[^/]*[-.]lock(\.ya?ml|\.json|b)?|go\.sum)$|\.(lock|map|snap|svg|png|jpe?g|gif|webp|avif|ico|bmp|tiff?|pdf|zip|t?gz|xz|zst|bz2|7z|tar|jar|war|whl|so|a|o|dylib|dll|exe|wasm|node|class|pyc|woff2?|ttf|otf|eot|mp[34]|m4a|mov|avi|mkv|webm|ogg|wav|flac|psd|sqlite3?|db|bin|dat|parquet|onnx|pt|csv|tsv|po|mo|min\.(js|css))$/i

// Settings, scripts and notes: where secrets are left by those who do not mean to pass them on.
const settings =
  /(^|\/)\.[^/]+$|\.(env|ini|ya?ml|toml|json5?|properties|cfg|conf|config|tf|tfvars|sh|bash|zsh|fish|ps1|bat|pem|key|crt|p8|asc|gpg|txt|http|rest|sql|ovpn|xml|plist|gradle|netrc)$|(^|\/)[^./]+$|\.env\./i

/**
 * Whether a file of this name and size is one in which people leave secrets; or of settings alone, where sources of
 * thousands of files would keep a start waiting.
 */
export const worthReading = (path: string, size: number, onlySettings: boolean): boolean =>
  size > 0 && size <= wholeBytes && !never.test(path) && (!onlySettings || settings.test(path))
