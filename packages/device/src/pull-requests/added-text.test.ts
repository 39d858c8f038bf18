import { expect, it } from 'vitest'
import { addedText } from './added-text.ts'

it('the added text of a patch is known by the counts of its hunks, even if lines look like headers', () => {
  const patch = `diff --git a/a b b/a b
--- a/a b\t
+++ b/a b\t
@@ -1 +1,2 @@
--- b/old
+++ b/new
+@@ -1 +1 @@
@@ -9,0 +11 @@ somewhere
+more
\\ No newline at end of file
diff --git a/gone b/gone
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/c b/c
--- /dev/null
+++ b/c
@@ -0,0 +1 @@
+c
diff --git "a/q\\"\\t" "b/q\\"\\t"
--- /dev/null
+++ "b/q\\"\\t"
@@ -0,0 +1 @@
+q
diff --git a/c b/c
--- a/c
+++ b/c
@@ -1 +1 @@
-c
+again
`
  expect([...addedText(patch)]).toEqual([
    ['a b', '++ b/new\n@@ -1 +1 @@\nmore'],
    ['c', 'c\nagain'],
    ['q"\t', 'q'],
  ])
})
