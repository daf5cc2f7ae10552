/** This SDK's version, which servers see in Hello. The same as in package.json, to which a test holds it. */
export const VERSION = "0.1.0";
