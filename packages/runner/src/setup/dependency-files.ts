/** Files that define a project's dependencies, and files that package tools read. */
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

/** Folders and files that depend on those alone; anything else that a command makes may depend on any file. */
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

/** Which files the result of a setup command depends on: dependency files, and files that the command names. */
export function dependencyFiles(command: string, paths: Iterable<string>): string[] {
  const words = new Set(command.split(/[\s;&|<>()'"`]+/).map((word) => word.replace(/^(\.\/)+/, '')))
  const counts = (path: string) => named.has(nameOf(path)) || like.test(nameOf(path)) || words.has(path)
  return [...paths].filter(counts).sort()
}

/** Whether all of these paths depend on dependency files alone. */
export const isOfDependencies = (paths: readonly string[]): boolean =>
  paths.every((path) => ofDependencies.has(nameOf(path)))
