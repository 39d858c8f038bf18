import type { MemoryTerms } from '@farhand/protocol/schemas/memory-terms'

/** Credentials are for one sandbox, and given anew to the next. For all agents, in upper and lower case. */
const credentials = [
  ...['auth.json', '.claude.json*', '.netrc', '.npmrc', '.pypirc', '.git-credentials', '.env', '.env.*'],
  ...['*credential*', '*oauth*', '*token*', '*secret*', '*password*', 'keyring*'],
  ...['*.key', '*.pem', '*.p12', '*.pfx', 'id_rsa*', 'id_ed25519*', 'id_ecdsa*', '*_history'],
  ...['.ssh', '.aws', '.azure', '.gnupg', '.docker', '.kube', 'gcloud', 'gh', 'keyrings'].map(
    (name) => `${name}/**`,
  ),
].map((pattern) => `**/${pattern}`)

/** Files that only mean something to running processes: shared memory, locks, sockets. */
const ofTheMoment = ['**/*-shm', '**/*.lock', '**/*.pid', '**/*.sock']

export type MemoryFilter = {
  file: (path: string) => boolean
  /** Whether any file in this folder may travel. */
  folder: (path: string) => boolean
}

/** Which files of an agent travel with the run, by their paths below its folder. */
export function memoryFilter({ files, never }: Pick<MemoryTerms, 'files' | 'never'>): MemoryFilter {
  const wanted = files.map((pattern) => patternOf(pattern, ''))
  const refused = [...never, ...credentials, ...ofTheMoment].map((pattern) => patternOf(pattern, 'i'))
  const isRefused = (path: string) => refused.some((pattern) => pattern.test(path))
  return {
    file: (path) => wanted.some((pattern) => pattern.test(path)) && !isRefused(path),
    // A folder is refused if a file with a neutral name in it would be.
    folder: (path) => !isRefused(`${path}/-`),
  }
}

function patternOf(pattern: string, flags: string): RegExp {
  const parts = pattern.split(/(\*\*\/|\*\*|\*)/).map((part) => {
    if (part === '**/') return '(?:.*/)?'
    if (part === '**') return '.*'
    return part === '*' ? '[^/]*' : part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('')}$`, `s${flags}`)
}
