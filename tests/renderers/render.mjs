// Renders Markdown files to HTML beside them, as GitHub does: parse, raw HTML, sanitise by its schema.
import { readFileSync, writeFileSync } from "node:fs";
import rehypeRaw from "rehype-raw";
import rehypeSanitize from "rehype-sanitize";
import rehypeStringify from "rehype-stringify";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";

const renderer = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkRehype, { allowDangerousHtml: true })
  .use(rehypeRaw)
  .use(rehypeSanitize)
  .use(rehypeStringify);

for (const file of process.argv.slice(2)) {
  const page = await renderer.process(readFileSync(file, "utf8"));
  writeFileSync(file.replace(/\.md$/, ".remark.html"), String(page));
}
