/** Files that say what a project depends on, and those that tools for that read. */
const named = new Set([
  '.npmrc',
  '.nvmrc',
  '.node-version',
  '.python-version',
  '.ruby-version',
  '.tool-versions',
  '.yarnrc',
  '.yarnrc.yml',
  'bun.lock',
  'bun.lockb',
  'Cargo.lock',
  'Cargo.toml',
  'composer.json',
  'composer.lock',
  'environment.yml',
  'Gemfile',
  'Gemfile.lock',
  'go.mod',
  'go.sum',
  'justfile',
  'Makefile',
  'mise.toml',
  'mix.exs',
  'mix.lock',
  'npm-shrinkwrap.json',
  'package-lock.json',
  'package.json',
  'Pipfile',
  'Pipfile.lock',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'poetry.lock',
  'pyproject.toml',
  'rust-toolchain',
  'rust-toolchain.toml',
  'setup.cfg',
  'setup.py',
  'uv.lock',
  'yarn.lock',
])
const like = /^(requirements|constraints)[\w.-]*\.(txt|in)$|\.(gemspec|patch|diff)$/

/** Folders and files that are wholly decided by those; everything else that a command makes may be made of any file. */
const ofDependencies = new Set([
  '.bundle',
  '.pnp.cjs',
  '.pnp.loader.mjs',
  '.pnpm-store',
  '.venv',
  '.yarn',
  '__pypackages__',
  'bower_components',
  'node_modules',
  'Pods',
  'vendor',
  'venv',
])

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** Which of these files what a setup command makes depends on: those that say so, and those that the command names. */
export function dependencyFiles(command: string, paths: Iterable<string>): string[] {
  const words = new Set(command.split(/[\s;&|<>()'"`]+/).map((word) => word.replace(/^(\.\/)+/, '')))
  const counts = (path: string) => named.has(nameOf(path)) || like.test(nameOf(path)) || words.has(path)
  return [...paths].filter(counts).sort()
}

/** Whether all of these are the same wherever the project depends on the same. */
export const isOfDependencies = (paths: readonly string[]): boolean =>
  paths.every((path) => ofDependencies.has(nameOf(path)))
