const mostWords = 60

/** The subject line of a checkpoint's commit, as users see it in `git log --all`: its number, and what it was about. */
export function checkpointSubject(number: number, about: string | null): string {
  // A newline would begin the commit's body, and a terminal would execute escape codes.
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
