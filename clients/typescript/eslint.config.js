import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "src/gen", "eslint.config.js"] },
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      // A number off the wire is a member of the contract's enum, or one of a newer contract.
      "@typescript-eslint/no-unsafe-enum-assignment": "off",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      // node:test's own promises are awaited by the runner
      "@typescript-eslint/no-floating-promises": [
        "error",
        { allowForKnownSafeCalls: [{ from: "package", package: "node:test", name: ["test", "describe"] }] },
      ],
    },
  },
);
