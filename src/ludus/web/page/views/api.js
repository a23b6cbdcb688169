// The server's interface for programs, read from its own OpenAPI document.
import { html } from "../vendor/preact.js";
import { get } from "../api.js";
import { List, Page, Problem, Waiting, useAsked } from "../parts.js";

const METHODS = ["get", "post", "put", "delete"];

// The kind of a value in short: a name of the document's, or a plain type.
function kindOf(schema) {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  const several = schema.anyOf ?? schema.oneOf;
  if (several) return several.map(kindOf).join(" or ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.type === "array") return `list of ${kindOf(schema.items) || "anything"}`;
  return schema.type ?? "anything";
}

const bodyOf = (content) => kindOf(Object.values(content ?? {})[0]?.schema);

const code = (text) => html`<code>${text}</code>`;

function Operation({ path, method, operation }) {
  const { summary, description, parameters = [], requestBody, responses = {} } = operation;
  const asked = parameters.map((one) => ({
    key: one.name,
    cells: [code(one.name), `${one.in}${one.required ? ", required" : ""}`, kindOf(one.schema), one.description ?? ""],
  }));
  const answers = Object.entries(responses).map(([status, answer]) => ({
    key: status,
    cells: [status, answer.description, code(bodyOf(answer.content))],
  }));
  return html`<details class="operation">
    <summary><code><b class="method">${method.toUpperCase()}</b> ${path}</code> <span>${summary}</span></summary>
    ${description && html`<p>${description}</p>`}
    ${asked.length > 0 && html`<${List} label="Parameters" head=${["Parameter", "Where", "Kind", ""]} rows=${asked} />`}
    ${requestBody && html`<p>Body: ${code(bodyOf(requestBody.content) || "JSON")}</p>`}
    <${List} label="Answers" head=${["Status", "Meaning", "Body"]} rows=${answers} />
  </details>`;
}

function Schema({ name, schema }) {
  const { description, properties = {}, required = [] } = schema;
  const fields = Object.entries(properties).map(([field, kind]) => ({
    key: field,
    cells: [code(field), `${kindOf(kind)}${required.includes(field) ? "" : ", optional"}`, kind.description ?? ""],
  }));
  return html`<details class="operation"><summary><code>${name}</code> <span>${description}</span></summary>
    <${List} label=${`Fields of ${name}`} head=${["Field", "Kind", ""]} rows=${fields} />
  </details>`;
}

export function ApiView() {
  const { value, problem } = useAsked(() => get("openapi.json"), []);
  const operations = Object.entries(value?.paths ?? {}).flatMap(([path, methods]) =>
    METHODS.filter((method) => methods[method]).map((method) => ({ path, method, operation: methods[method] })),
  );
  return html`<${Page} title="API" wide=${true}
    lead="This page uses nothing else: your program can do all that it does.">
    <${Problem}>${problem}<//>
    ${!value && !problem && html`<${Waiting}>Fetching the description…<//>`}
    ${value && html`<p><a class="button" href="api/openapi.json" download>OpenAPI document</a></p>
      <h2>What can be asked</h2>${operations.map((one) => html`<${Operation} key=${one.method + one.path}
        ...${one} />`)}
      <h2>Live</h2><p>A WebSocket at <code>/api/live</code> takes <code>{"watch": "ID", "seat": 0, "flip": false}
        </code> and <code>{"unwatch": "ID"}</code>, and tells <code>{"type": "table", "table": …, "view": …}</code>
        at once and after every change, <code>{"type": "chances", …}</code>, <code>{"type": "match", …}
          </code> and <code>{"type": "ready", …}</code>.</p>
      <h2>Words</h2>${Object.entries(value.components?.schemas ?? {}).map(([name, schema]) => html`<${Schema}
        key=${name} name=${name} schema=${schema} />`)}`}
  <//>`;
}
