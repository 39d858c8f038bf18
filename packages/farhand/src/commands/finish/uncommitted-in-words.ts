import { count } from '@farhand/device/wording/count'

export const uncommittedInWords = (paths: readonly string[]) =>
  `${count(paths.length, 'file')} that ${paths.length === 1 ? 'was' : 'were'} in no commit`
