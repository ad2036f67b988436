import { describe, expect, it } from "vitest";
import { answer, type Inputs } from "./cell-runner.ts";

const ann = { name: "Ann", age: 31, city: "Paris", salary: 5200 };
const bob = { name: "Bob", age: 25, city: "London", salary: 4100 };
const cid = { name: "Cid", age: 42, city: "Paris", salary: 6100 };
const dee = { name: "Dee", age: 37, city: "Berlin", salary: 4800 };
const people = [ann, bob, cid, dee];

const o1 = { id: 1, city: "Paris", status: "open", total: 120, date: "2024-01-05" };
const o2 = { id: 2, city: "London", status: "paid", total: 80, date: "2024-02-10" };
const o3 = { id: 3, city: "Paris", status: "paid", total: 200, date: "2023-12-01" };
const o4 = { id: 4, city: "Rome", status: "open", total: 50, date: "2024-03-15" };
const orders = [o1, o2, o3, o4];

// Quoted commas, a thousands separator, CRLF.
const products =
  'name,category,price,stock\r\nLamp,home,"1,200",3\r\nBall,toys,15,40\r\n"Kite, big",toys,25.5,0\r\nDesk,home,300,7\r\nPuzzle,toys,9,12\r\n';
const lamp = { name: "Lamp", category: "home", price: "1,200", stock: 3 };
const kite = { name: "Kite, big", category: "toys", price: "25.5", stock: 0 };
const desk = { name: "Desk", category: "home", price: "300", stock: 7 };
const puzzle = { name: "Puzzle", category: "toys", price: "9", stock: 12 };

// Semicolons and decimal commas.
const sales = "Region;Year;Revenue\nNorth;2023;1.200,50\nSouth;2023;800\nNorth;2024;500\nSouth;2024;1.000,00\n";
const staff = [
  { full_name: "Ann Lee", unitPrice: 3, isActive: true, tags: ["x", "y"] },
  { full_name: "Bo Day", unitPrice: null, isActive: false, tags: [] },
  { full_name: "", isActive: true },
];
const hired = [
  { name: "Ann", joined: "2018-01-01" },
  { name: "Bob", joined: "2019-05-05" },
  { name: "Dan", joined: "2020-02-02" },
];
const [hiredAnn, hiredBob, hiredDan] = hired;
const wages = "city,salary\nA,10\nB,4\nA,5\n";
const gaps = "city,salary\nA,10\nB,\nC,5\n";
const prices = "name,category,price\nX,a,\nY,a,3\nZ,b,2\nW,c,\n";
const bills = [
  { id: 1, status: "open", total: 5, customer: { country: "FR" } },
  { id: 2, status: "paid", total: null, customer: { country: "DE" } },
  { id: 3, status: "open", total: 7, customer: { country: "FR" } },
];
const shop = { orders, owner: "Ann" };

type Row = [goal: string, inputs: Inputs, expected: unknown];

const COUNT: Row[] = [
  ["Please could you kindly tell me how many rows there are in the data, thanks!", { people }, 4],
  ["Hello, how many people are in Paris? Thank you!", { people }, 2],
  ["how many rows", { table: "" }, 0],
  ["how many rows", { table: "name\nAnn\nBob\n" }, 2],
  ["how many rows", { people, note: "name\nAnn" }, 4],
  ["how many rows are there", { people }, 4],
  ["count the rows", { products }, 5],
  ["How many people are older than 30?", { people }, 3],
  ["count the people in Paris", { people }, 2],
  ["how many orders have status open and total above 100", { orders }, 1],
  ["number of orders where status is paid", { orders }, 2],
  ["total number of orders", { orders }, 4],
  ["total orders", { orders }, 4],
  ["how many orders are paid", { orders }, 2],
  ["how many open orders are there", { orders }, 2],
  ["how many orders in 2024", { orders }, 3],
  ["how many orders after 2024-01-31", { orders }, 2],
  ["how many people earn more than 5k", { people }, 2],
  ["how many cities are there", { people }, 3],
  ["count products where category = toys and price < 20", { products }, 2],
  ['count rows where category is "toys"', { products }, 3],
  ["count people with no city", { people }, 0],
  ["how many orders in shop", { shop }, 4],
  ["how many columns", { products }, 4],
  ["how many items", { xs: [] }, 0],
  ["how many numbers are above 1", { numbers: [3, 1, 2] }, 2],
];

const FILTER: Row[] = [
  ["people who joined after 2019", { hired }, [hiredDan]],
  ["people who joined before 2019", { hired }, [hiredAnn]],
  ["people who joined in 2019", { hired }, [hiredBob]],
  ["people who joined since 2019", { hired }, [hiredBob, hiredDan]],
  ["people who joined in the year 2019", { hired }, [hiredBob]],
  ["people who joined until 2019", { hired }, [hiredAnn, hiredBob]],
  ["people who joined between 2018 and 2019", { hired }, [hiredAnn, hiredBob]],
  ["people who joined after 2019-05", { hired }, [hiredDan]],
  ["people who joined on 2019-05-05", { hired }, [hiredBob]],
  ["people earning more than 2019", { people: [ann] }, [ann]],
  ["people between 30 and 40 years old", { people }, [ann, dee]],
  ["orders where customer.country is DE", { orders: bills }, [bills[1]]],
  ["people not older than 30", { people }, [bob]],
  ["people that are at least 31 years old", { people }, [ann, cid, dee]],
  ["last order", { orders }, o4],
  ["rows where city is Paris and age is at least 40", { people }, [cid]],
  ["show people whose age is between 30 and 40", { people }, [ann, dee]],
  ["filter orders with total > 100 or status is open", { orders }, [o1, o3, o4]],
  ["orders where status is not open", { orders }, [o2, o3]],
  ["orders that are not paid and total below 100", { orders }, [o4]],
  ["orders placed after 2024-01-31", { orders }, [o2, o4]],
  ["orders with a date before 2024-01-01", { orders }, [o3]],
  ["products that cost more than 20", { products }, [lamp, kite, desk]],
  ["products with stock 0", { products }, [kite]],
  ["products not in category toys", { products }, [lamp, desk]],
  ["products in the home category", { products }, [lamp, desk]],
  ["products cheaper than ten", { products }, [puzzle]],
  ["products with a price of at least $1,000", { products }, [lamp]],
  ["products whose name contains comma or big", { products }, [kite]],
  ["people from Paris", { people }, [ann, cid]],
  ["people who live in Paris or London", { people }, [ann, bob, cid]],
  ["people earning at least $4,800", { people }, [ann, cid, dee]],
  ["people with age 31 or more", { people }, [ann, cid, dee]],
  ["people whose name starts with A or D", { people }, [ann, dee]],
  ["everyone except those in Paris", { people }, [bob, dee]],
  ["remove rows where city is Paris", { people }, [bob, dee]],
  ["rows containing berlin", { people }, [dee]],
  ["first 2 rows", { people }, [ann, bob]],
  ["last two people", { people }, [cid, dee]],
  ["rows missing city", { people }, []],
  ["rows where is active", { staff }, [staff[0], staff[2]]],
  ["rows with no full name", { staff }, [staff[2]]],
  ["rows where unit price is above 2", { staff }, [staff[0]]],
  ["rows where tags contain x", { staff }, [staff[0]]],
];

const GROUP: Row[] = [
  ["highest salary by city", { wages }, { A: 10, B: 4 }],
  ["lowest price by category", { prices }, { a: 3, b: 2, c: null }],
  ["highest total by status", { bills }, { open: 7, paid: null }],
  [
    "cheapest product by category",
    { prices },
    { a: { name: "Y", category: "a", price: 3 }, b: { name: "Z", category: "b", price: 2 }, c: null },
  ],
  ["person with the highest salary by city", { people: [ann, cid] }, { Paris: cid }],
  ["average salary by city", { gaps }, { A: 10, B: null, C: 5 }],
  ["sum of salary by city", { gaps }, { A: 10, B: null, C: 5 }],
  ["sum total by customer.country", { bills }, { FR: 12, DE: null }],
  ["total by status", { orders }, { open: 170, paid: 280 }],
  ["for each city, the average age", { people }, { Paris: 36.5, London: 25, Berlin: 37 }],
  ["group by city and sum salary", { people }, { Paris: 11300, London: 4100, Berlin: 4800 }],
  ["count how many times each city appears", { people }, { Paris: 2, London: 1, Berlin: 1 }],
  ["number of open orders per city", { orders }, { Paris: 1, Rome: 1 }],
  ["how many per city", { people }, { Paris: 2, London: 1, Berlin: 1 }],
  ["how many people live in each city", { people }, { Paris: 2, London: 1, Berlin: 1 }],
  ["how many orders per status?", { orders }, { open: 2, paid: 2 }],
  ["orders per city", { orders }, { Paris: 2, London: 1, Rome: 1 }],
  ["count each status", { orders }, { open: 2, paid: 2 }],
  ["status counts", { orders }, { open: 2, paid: 2 }],
  ["total salary by city", { people }, { Paris: 11300, London: 4100, Berlin: 4800 }],
  ["average age per city", { people }, { Paris: 36.5, London: 25, Berlin: 37 }],
  ["average salary of people older than 30 by city", { people }, { Paris: 5650, Berlin: 4800 }],
  ["highest salary per city", { people }, { Paris: 6100, London: 4100, Berlin: 4800 }],
  ["cheapest product per category", { products }, { home: desk, toys: puzzle }],
  ["total revenue by region", { sales }, { North: 1700.5, South: 1800 }],
  ["revenue by region", { sales }, { North: 1700.5, South: 1800 }],
  ["average revenue per year", { sales }, { 2023: 1000.25, 2024: 750 }],
  ["number of products per category where price is above 10", { products }, { home: 2, toys: 2 }],
  ["group the people by city", { people }, { Paris: [ann, cid], London: [bob], Berlin: [dee] }],
  ["names by city", { people }, { Paris: ["Ann", "Cid"], London: ["Bob"], Berlin: ["Dee"] }],
  ["which city has the most orders", { orders }, { city: "Paris", count: 2 }],
  ["which region has the highest total revenue", { sales }, { Region: "South", sum: 1800 }],
  ["most common city", { people }, { city: "Paris", count: 2 }],
  ["count each value", { xs: ["a", "b", "a"] }, { a: 2, b: 1 }],
  [
    "top 2 cities by number of people",
    { people },
    [
      { city: "Paris", count: 2 },
      { city: "London", count: 1 },
    ],
  ],
  [
    "total stock by category sorted descending",
    { products },
    [
      { category: "toys", sum: 52 },
      { category: "home", sum: 10 },
    ],
  ],
  [
    "count by status and city",
    { orders: orders.slice(0, 2) },
    [
      { status: "open", city: "Paris", count: 1 },
      { status: "paid", city: "London", count: 1 },
    ],
  ],
];

const SORT: Row[] = [
  ["sort people by name, return only names", { people: [bob, ann] }, ["Ann", "Bob"]],
  [
    "sort people by age and show name and age",
    { people: [ann, bob] },
    [
      { name: "Bob", age: 25 },
      { name: "Ann", age: 31 },
    ],
  ],
  ["sort people by age, names only", { people: [ann, bob] }, ["Bob", "Ann"]],
  ["top 2 names by salary", { people }, ["Cid", "Ann"]],
  [
    "the 3 cheapest products",
    { prices },
    [
      { name: "Z", category: "b", price: 2 },
      { name: "Y", category: "a", price: 3 },
    ],
  ],
  ["cheapest product", { prices: "name,price\nX,\n" }, null],
  ["list people by age", { people }, [bob, ann, dee, cid]],
  ["rank people by salary", { people }, [cid, ann, dee, bob]],
  ["names of people in Paris sorted by age", { people }, ["Ann", "Cid"]],
  ["sort people by age descending", { people }, [cid, dee, ann, bob]],
  ["order people by age", { people }, [bob, ann, dee, cid]],
  ["people sorted by salary from highest to lowest", { people }, [cid, ann, dee, bob]],
  ["sort by city then by age descending", { people }, [dee, bob, cid, ann]],
  ["top 2 people by salary", { people }, [cid, ann]],
  ["the three most expensive products", { products }, [lamp, desk, kite]],
  ["cheapest product", { products }, puzzle],
  ["who is the oldest?", { people }, cid],
  ["who is the youngest person in Paris", { people }, ann],
  ["who has the highest salary", { people }, cid],
  ["employee with the lowest salary", { people }, bob],
  ["highest paid person", { people }, cid],
  ["the 2 orders with the highest total", { orders }, [o3, o1]],
  ["latest order", { orders }, o4],
  ["oldest order", { orders }, o3],
  ["names of the two youngest people", { people }, ["Bob", "Ann"]],
  ["list names sorted by age", { people }, ["Bob", "Ann", "Dee", "Cid"]],
  ["which city has the highest salary", { people }, "Paris"],
  ["sort by unit price", { staff }, [staff[0], staff[1], staff[2]]],
  ["sort the numbers descending", { numbers: [3, 10, 2] }, [10, 3, 2]],
  ["sort alphabetically", { xs: ["b", "a"] }, ["a", "b"]],
];

const AGGREGATE: Row[] = [
  ["lowest total", { bills }, 5],
  ["lowest price", { t: [{ price: " " }, { price: "4" }] }, 4],
  ["total of paid orders", { orders }, 280],
  ["sum salary where city is Paris or city is London", { people }, 15400],
  ["average salary in Paris and London", { people: people.slice(1, 3) }, 5100],
  ["what is the average price", { products }, 309.9],
  ["sum of stock where category is toys", { products }, 52],
  ["max price", { products }, 1200],
  ["what is the highest salary", { people }, 6100],
  ["median price of products in the toys category", { products }, 15],
  ["median of age", { people }, 34],
  ["average age of people in Paris", { people }, 36.5],
  ["average total where status is open", { orders }, 85],
  ["what is the average total of open orders", { orders }, 85],
  ["total revenue for region North", { sales }, 1700.5],
  ["total revenue in 2024", { sales }, 1500],
  ["what is the total", { orders }, 450],
  ["sum total", { orders }, 450],
  ["average, min and max price", { products }, { average: 309.9, min: 9, max: 1200 }],
  ["average age and salary", { people }, { age: 33.75, salary: 5050 }],
  ["earliest date", { orders }, "2023-12-01"],
  ["average salary", { people, orders }, 5050],
  ["average of the numbers", { numbers: [0.1, 0.2] }, 0.15],
  ["average of the numbers", { numbers: ["1", "2"] }, 1.5],
  ["sum of the scores", { scores: { math: 90, art: 70 } }, 160],
  ["average price where category is food", { products }, null],
  ["sum of stock where category is food", { products }, 0],
];

const VALUES: Row[] = [
  ["names containing 'an'", { hired }, ["Ann", "Dan"]],
  ["ids of the open orders", { orders }, [1, 4]],
  ["what statuses exist", { orders }, ["open", "paid"]],
  ["age of Ann", { people }, [31]],
  ["unique cities", { people }, ["Paris", "London", "Berlin"]],
  ["how many different cities are there", { people }, 3],
  ["unique values", { xs: [1, 2, 1] }, [1, 2]],
  ["remove duplicates", { xs: ["b", "a", "b"] }, ["b", "a"]],
  ["find duplicates", { xs: ["b", "a", "b"] }, ["b"]],
  ["list the names of people older than 30", { people }, ["Ann", "Cid", "Dee"]],
  ["extract the email column", { users: [{ email: "a@b.co" }, {}] }, ["a@b.co", null]],
  [
    "names and ages of everyone in Paris",
    { people },
    [
      { name: "Ann", age: 31 },
      { name: "Cid", age: 42 },
    ],
  ],
  ["what columns are there", { products }, ["name", "category", "price", "stock"]],
  [
    "describe the table",
    { sales },
    {
      rows: 4,
      fields: {
        Region: { type: "text", missing: 0, distinct: 2, top: ["North", "South"] },
        Year: { type: "number", missing: 0, min: 2023, max: 2024, average: 2023.5 },
        Revenue: { type: "text", missing: 0, distinct: 4, top: ["1.200,50", "800", "500"] },
      },
    },
  ],
];

describe.each([
  ["counts", COUNT],
  ["filters", FILTER],
  ["groups", GROUP],
  ["sorts", SORT],
  ["aggregates", AGGREGATE],
  ["lists values", VALUES],
])("the embedded planner %s", (_, rows) => {
  it.each(rows)("%s", async (goal, inputs, expected) => {
    expect(await answer(goal, inputs)).toEqual(expected);
  });
});

describe("tables as people send them", () => {
  it.each([
    ["tab separated", "a\tb\n1\t2\n3\t4\n", 6],
    ["with doubled quotes", 'b,a\n2,"say ""hi"""\n4,z\n', 6],
    ["without a newline at the end", "a,b\r\n1,2\r\n3,4", 6],
    ["with a blank line", "a,b\n1,2\n\n3,4\n", 6],
    ["with a byte order mark", "\uFEFFa,b\n1,2\n3,4\n", 6],
  ])("reads CSV %s", async (_, table, sum) => {
    const reply = await answer("sum of b", { table });
    expect(reply).toBe(sum);
  });

  it("keeps codes as text and numbers as numbers", async () => {
    const expected = [{ zip: "02139", n: 1 }];
    expect(await answer("rows where n is 1", { t: "zip,n\n02139,1\n10001,2\n" })).toEqual(expected);
  });

  it("says which column there is twice", async () => {
    await expect(answer("rows where a is 1", { table: "a,a\n1,2\n" })).rejects.toThrow('the same name, "a"');
    await expect(answer("rows where a is 1:\na,a\n1,2\n")).rejects.toThrow('the same name, "a"');
  });

  it("says that no group has a number", async () => {
    await expect(answer("sum of name by city", { people })).rejects.toThrow("None of the values is a number");
  });

  it("ranks by no field of texts", async () => {
    await expect(answer("top 2 people by city", { people })).rejects.toThrow('"city" holds no numbers or dates');
  });

  it("takes no list of lines for a table", async () => {
    await expect(answer("how many rows", { list: "ann\nbob\n" })).rejects.toThrow("not clearly a table");
  });

  it("says which value no row has instead of answering with nothing", async () => {
    await expect(answer("how many people in Madrid", { people })).rejects.toThrow('No row has "Madrid"');
  });
});
