import { expect, it } from 'vitest'
import { dependencyFiles, isOfDependencies } from './dependency-files.ts'

it('what says what a project depends on counts at any depth, and so does what the command names', () => {
  const files = [
    'src/a.ts',
    'package.json',
    'packages/a/package-lock.json',
    'patches/left-pad+1.3.0.patch',
    'scripts/setup.sh',
    'requirements-dev.txt',
  ]
  expect(dependencyFiles('npm ci && sh ./scripts/setup.sh', files)).toEqual([
    'package.json',
    'packages/a/package-lock.json',
    'patches/left-pad+1.3.0.patch',
    'requirements-dev.txt',
    'scripts/setup.sh',
  ])
  expect(dependencyFiles('npm ci', files)).not.toContain('scripts/setup.sh')
})

it('what is made of any file is no dependency', () => {
  expect(isOfDependencies(['node_modules', 'packages/a/node_modules', '.venv'])).toBe(true)
  expect(isOfDependencies(['node_modules', 'dist'])).toBe(false)
})
