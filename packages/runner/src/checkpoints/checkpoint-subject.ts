const mostWords = 60

/** How a checkpoint is called where people see it, in `git log --all`: which one it is, and what it was about. */
export function checkpointSubject(number: number, about: string | null): string {
  // A line end would begin the body of the commit, and a terminal would obey the rest.
  const words = (about ?? '').replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  const letters = [...words]
  const short =
    letters.length > mostWords
      ? `${letters
          .slice(0, mostWords - 1)
          .join('')
          .trimEnd()}…`
      : words
  return short === '' ? `Farhand checkpoint ${number}` : `Farhand checkpoint ${number}: ${short}`
}
